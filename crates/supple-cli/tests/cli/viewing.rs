//! `supple view` from the outside.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Stdio};

use crate::supple::{arg, command, failure_of, scratch};

struct Viewing(Child);

impl Drop for Viewing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What it says before it serves: its first address, and all lines of stderr up to the one that says how to go on (how many there are depends
/// on whether the build has a page in it).
fn told(args: &[&str]) -> (String, Vec<String>) {
    let child =
        command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut viewing = Viewing(child);
    let (stdout, stderr) = (viewing.0.stdout.take().expect("piped"), viewing.0.stderr.take().expect("piped"));
    // open to the end: it has more to say there
    let mut addresses = BufReader::new(stdout).lines();
    let address = addresses.next().expect("an address").expect("UTF-8");
    let mut said = Vec::new();
    for line in BufReader::new(stderr).lines() {
        said.push(line.expect("UTF-8"));
        if said.last().is_some_and(|line| line.starts_with("Open it in a browser")) {
            break;
        }
    }
    (address, said)
}

/// It used to print an address that nobody can open, and no word of who may come.
#[test]
fn an_address_that_can_be_opened_is_printed_with_a_warning() {
    let (out, err) = told(&["view", "pendulum", "--host", "0.0.0.0", "--port", "0"]);
    assert!(!out.contains("0.0.0.0") && out.contains("/?token="), "{out:?}");
    assert!(err.iter().any(|line| line.starts_with("warning: whoever has the address")), "{err:?}");
    let (out, err) = told(&["view", "pendulum", "--port", "0"]);
    assert!(out.starts_with("http://127.0.0.1:") && !out.contains("token"), "{out:?}");
    assert!(!err.iter().any(|line| line.contains("whoever")), "{err:?}");
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("it has one").port();
    let (out, err) = told(&["view", "pendulum", "--port", &port.to_string()]);
    assert!(!out.contains(&format!(":{port}/")), "{out:?}");
    assert!(err.iter().any(|line| line.contains(&format!("port {port} is taken"))), "{err:?}");
}

/// It used to start, and to answer 404 to whoever came.
#[test]
fn a_page_that_is_not_there_is_told() {
    let (empty, file) = (scratch("page.txt").with_extension("folder"), scratch("page.txt"));
    let _ = std::fs::remove_dir_all(&empty);
    std::fs::create_dir_all(&empty).expect("scratch");
    std::fs::write(&file, "no folder").expect("scratch");
    for (folder, wanted) in
        [("no/such/page", "no such folder"), (arg(&file), "no folder"), (arg(&empty), "no index.html")]
    {
        let message = failure_of(3, &["view", "pendulum", "--port", "0", "--page", folder]);
        assert!(message.contains(folder) && message.contains(wanted), "{message}");
    }
    std::fs::write(empty.join("index.html"), "<p>").expect("scratch");
    let (out, _) = told(&["view", "pendulum", "--port", "0", "--page", arg(&empty)]);
    assert!(out.starts_with("http://127.0.0.1:"), "{out:?}");
    std::fs::remove_dir_all(&empty).expect("scratch");
}

#[test]
fn a_scene_file_that_is_not_there_is_told() {
    assert!(failure_of(3, &["view", "none.toml", "--port", "0"]).contains("none.toml"));
}
