//! `supple view` from the outside.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Stdio};

use crate::supple::{command, failure_of};

struct Viewing(Child);

impl Drop for Viewing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first lines of stdout and stderr, so many of each.
fn told(args: &[&str], out: usize, err: usize) -> (Vec<String>, Vec<String>) {
    let child =
        command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut viewing = Viewing(child);
    let (stdout, stderr) = (viewing.0.stdout.take().expect("piped"), viewing.0.stderr.take().expect("piped"));
    let lines = |lines: usize, of: &mut dyn BufRead| {
        (0..lines)
            .map(|_| {
                let mut line = String::new();
                of.read_line(&mut line).expect("UTF-8");
                line.trim_end().to_owned()
            })
            .collect()
    };
    let out = lines(out, &mut BufReader::new(stdout));
    (out, lines(err, &mut BufReader::new(stderr)))
}

/// It used to print an address that nobody can open, and no word of who may come.
#[test]
fn an_address_that_can_be_opened_is_printed_with_a_warning() {
    let (out, err) = told(&["view", "pendulum", "--host", "0.0.0.0", "--port", "0"], 1, 3);
    assert!(!out[0].contains("0.0.0.0") && out[0].contains("/?token="), "{out:?}");
    assert!(err.iter().any(|line| line.starts_with("warning: whoever has the address")), "{err:?}");
    let (out, err) = told(&["view", "pendulum", "--port", "0"], 1, 1);
    assert!(out[0].starts_with("http://127.0.0.1:") && !out[0].contains("token"), "{out:?}");
    assert!(!err.iter().any(|line| line.contains("whoever")), "{err:?}");
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("it has one").port();
    let (out, err) = told(&["view", "pendulum", "--port", &port.to_string()], 1, 2);
    assert!(!out[0].contains(&format!(":{port}/")), "{out:?}");
    assert!(err.iter().any(|line| line.contains(&format!("port {port} is taken"))), "{err:?}");
}

#[test]
fn a_scene_file_that_is_not_there_is_told() {
    assert!(failure_of(3, &["view", "none.toml", "--port", "0"]).contains("none.toml"));
}
