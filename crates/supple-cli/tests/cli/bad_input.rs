use crate::supple::{arg, command, failure, failure_of, file, scratch};

/// Everything that people get wrong: exit code 2, or 3 for files that are read and 6 for those that are written, a message that mentions the
/// thing, no panic.
#[test]
fn bad_arguments_are_named() {
    for (args, mentions) in [
        (&["run", "pendlum"][..], &["pendlum", "did you mean \"pendulum\"?"][..]),
        (&["run", "xylophone"], &["xylophone", "there are:\n  pendulum "]),
        (&["run", ""], &["there are:\n  pendulum "]),
        (&["run", "no/such/file.urdf"], &["no/such/file.urdf"]),
        (&["run", "nothing.json"], &["nothing.json"]),
        (&["run", "/"], &["/ is a folder", "supple scenes"]),
        (&["run", "."], &[". is a folder"]),
        (
            &["run", "pendulum", "--seconds", "1e300"],
            &["--seconds 1.000e300 by --dt 0.004167 are 2.4e302 steps"],
        ),
        (&["rnu"], &["'run'"]),
        (&["run", "pendulum", "--dt", "0"], &["--dt", "positive", "0 s"]),
        (&["run", "pendulum", "--dt", "-0.1"], &["--dt", "-0.1 s"]),
        (&["run", "pendulum", "--dt", "NaN"], &["--dt", "finite"]),
        (&["run", "pendulum", "--dt", "1/0"], &["--dt", "finite"]),
        (&["run", "pendulum", "--dt", "soon"], &["--dt", "soon", "not a number"]),
        (&["run", "pendulum", "--dt", "10"], &["--dt", "10 s", "--seconds"]),
        (&["run", "pendulum", "--seconds", "-1"], &["--seconds", "-1 s"]),
        (&["run", "pendulum", "--seconds", "inf"], &["--seconds", "finite"]),
        (&["run", "pendulum", "--seconds", "1e9", "--dt", "1e-9"], &["1.0e18 steps"]),
        (&["run", "pendulum", "--dt", "1e-320"], &["--dt", "steps"]),
        (&["run", "pendulum", "--integrator", "euler"], &["euler", "semi-implicit"]),
        (
            &["run", "pendulum", "--integrator", "rk4", "--integrator-tolerance", "1e-3"],
            &["--integrator-tolerance", "rk4"],
        ),
        (
            &["run", "pendulum", "--integrator", "adaptive", "--integrator-tolerance", "0"],
            &["--integrator-tolerance", "positive"],
        ),
        (&["run", "pendulum", "--active", "301"], &["301", "300"]),
        (&["run", "pendulum", "--tolerance", "-1"], &["-1", "negative"]),
        (&["run", "pendulum", "--active", "3", "--full"], &["--active", "--full"]),
        (&["run", "pendulum", "--active", "3", "--update-every", "0"], &["--update-every", "0"]),
        (&["run", "pendulum", "--active", "3", "--rule", "best"], &["best", "split"]),
        (&["run", "pendulum", "--set", "link=3"], &["link", "did you mean \"links\"?"]),
        (&["run", "pendulum", "--set", "links"], &["NAME=VALUE", "links"]),
        (&["run", "pendulum", "--set", "links=0"], &["links", "from 1 to", "\"0\""]),
        (&["run", "pendulum", "--set", "links=many"], &["links", "many"]),
        (&["run", "pendulum", "--set", "mass=-1"], &["mass", "-1", "kg"]),
        (&["run", "tree", "--set", "bodies=0"], &["bodies", "\"0\""]),
        (&["run", "robot", "--set", "file=none.urdf"], &["none.urdf"]),
        (&["run", "pendulum", "--every", "0"], &["--every", "0"]),
        (&["run", "pendulum", "--out", "motion.txt"], &["motion.txt", ".csv, .npz or .glb"]),
        (
            &["run", "pendulum", "--out", "no/such/folder/motion.csv"],
            &["no/such/folder/motion.csv", "there is no folder no/such/folder"],
        ),
        (&["run", "pendulum", "--out", "no/such/folder/motion.npz"], &["no/such/folder/motion.npz"]),
        (&["run", "pendulum", "--plot", "motion.png"], &["motion.png", ".svg"]),
        (&["run", "pendulum", "--plot", "no/such/folder/plot.svg"], &["no/such/folder/plot.svg"]),
        (&["run", "pendulum", "--wings"], &["--wings"]),
        (&["run", "brige"], &["did you mean \"bridge\"?"]),
        (&["run", "pendulum-constraints", "--set", "link=3"], &["did you mean \"links\"?"]),
        (&["run", "pendulum-constraints", "--dt", "0"], &["--dt", "positive", "0 s"]),
        (&["run", "pendulum-constraints", "--active", "1"], &["--active", "single bodies only"]),
        (&["run", "pendulum-constraints", "--integrator", "rk4"], &["--integrator", "single bodies only"]),
        (&["run", "pendulum-constraints", "--solver", "magic"], &["magic", "together"]),
        (&["run", "pendulum-constraints", "--sweeps", "3"], &["--sweeps", "--solver sweeps"]),
        (&["run", "pendulum-constraints", "--iterations", "2x3"], &["--iterations", "--solver displacement"]),
        (&["run", "pendulum-constraints", "--solver", "displacement", "--iterations", "2"], &["2x30"]),
        (&["run", "pendulum-constraints", "--solver", "sweeps", "--sweeps", "0"], &["--sweeps", "0"]),
        (&["run", "pendulum", "--solver", "together"], &["--solver", "pendulum has none"]),
        (&["run", "pendulum-constraints", "--out", "motion.txt"], &["motion.txt", ".csv, .npz or .glb"]),
        (&["run", "pendulum-constraints", "--plot", "motion.png"], &["motion.png", ".svg"]),
        (&["export", "pendulum-constraints", "--out", "no/such/folder/w.json"], &["no/such/folder/w.json"]),
        (&["assemble", "pendulum", "--out", "w.json"], &["pendulum", "no constraints"]),
        (&["assemble", "nothing.xml", "--out", "w.json"], &["nothing.xml"]),
        (
            &["assemble", "pendulum-constraints", "--out", "w.json", "--tolerance", "0"],
            &["--tolerance", "positive"],
        ),
        (&["bench", "constraints", "--scene", "brige"], &["brige"]),
        (&["bench", "constraints", "--scene", "pendulum-constraints", "--dt", "0"], &["0 s"]),
        (&["run", "pendulum-20", "--pixels", "-1"], &["-1", "negative", "pixels"]),
        (&["run", "pendulum-20", "--pixels", "nan"], &["--pixels"]),
        (&["run", "falling-character", "--pixels", "-1"], &["-1", "negative"]),
        (&["run", "pendulum-20", "--pixels", "5", "--camera", "1,2,3"], &["1,2,3", "two points like"]),
        (&["run", "pendulum-20", "--pixels", "5", "--camera", "nan,0,0:1,0,0"], &["nan", "two points like"]),
        (&["run", "pendulum-20", "--pixels", "5", "--camera", "1,2,3:1,2,3"], &["camera 0", "rotation"]),
        (&["run", "pendulum-20", "--pixels", "5", "--camera", "0.55,0,0:5,0,0"], &["inside", "link5"]),
        (&["run", "pendulum-20", "--pixels", "5", "--viewport", "0x480"], &["0 × 480"]),
        (&["run", "pendulum-20", "--pixels", "5", "--viewport", "wide"], &["--viewport", "640x480"]),
        (&["run", "pendulum-20", "--pixels", "5", "--full"], &["--pixels", "--full"]),
        (&["run", "pendulum-20", "--pixels", "5", "--visibility", "eyes"], &["eyes", "item-buffer"]),
        (&["run", "bridge-blocks", "--pixels", "5"], &["single bodies only"]),
        (&["bench", "view", "--scene", "pendulum-20", "--pixels", "-1"], &["-1", "negative"]),
        (&["bench", "view", "--scene", "pendulum-21"], &["pendulum-21", "pendulum-20"]),
        (&["fly"], &["fly"]),
        (&["dynamics", "none.json", "--json"], &["none.json"]),
        (&["dynamics", "none.urdf", "--state", "nowhere.json"], &["nowhere.json"]),
        (&["bench", "aba", "--links", "0"], &["--links", "0"]),
        (&["bench", "aba", "--links", "ten"], &["--links", "ten"]),
        (&["bench", "crowd", "--threads", "0"], &["--threads", "0"]),
        (&["bench", "crowd", "--characters", "0"], &["--characters", "0"]),
        (&["bench", "horses"], &["horses"]),
    ] {
        let missing =
            ["no/such/file.urdf", "nothing.json", "none.urdf", "none.json", "nothing.xml", "file=none.urdf"];
        let code = match args {
            _ if args.iter().any(|arg| missing.contains(arg)) => 3,
            _ if args.iter().any(|arg| arg.starts_with("no/such/folder/")) => 6,
            _ => 2,
        };
        let message = failure_of(code, args);
        for word in mentions {
            assert!(message.contains(word), "{args:?} does not mention {word:?}: {message}");
        }
    }
}

/// Files that are no models, and models that cannot be.
#[test]
fn bad_files_are_named_with_what_is_wrong() {
    for (name, text, mentions) in [
        ("empty.urdf", "", &["empty.urdf"][..]),
        ("cut.json", "{\"name\": \"cut", &["cut.json"]),
        ("list.json", "[1, 2]", &["list.json"]),
        ("other.xml", "<html/>", &["other.xml", "html"]),
        ("cut.urdf", "<robot name=\"r\"><link name=\"a\">", &["cut.urdf"]),
        ("words.json", "hello", &["words.json"]),
    ] {
        let path = file(name, text);
        for args in [&["run", arg(&path), "--json"][..], &["dynamics", arg(&path), "--json"]] {
            let message = failure_of(3, args);
            for word in mentions {
                assert!(message.contains(word), "{args:?}: {message}");
            }
        }
    }
}

/// A near name is all that is told, and all names where none is near.
#[test]
fn near_names_spare_the_list() {
    let message = failure(&["run", "pendlum"]);
    assert_eq!(message.lines().count(), 1, "{message}");
    let message = failure(&["run", "xylophone"]);
    assert!(
        message.lines().all(|line| line.chars().count() <= 100) && message.lines().count() > 10,
        "{message}"
    );
}

/// TOML in another encoding used to be told without a place, unlike all other files.
#[test]
fn text_in_another_encoding_is_told_with_its_place() {
    for name in ["latin.toml", "latin.json", "latin.urdf"] {
        let path = scratch(name);
        std::fs::write(&path, b"notes = [\"caf\xe9\"]\n").unwrap();
        let message = failure_of(3, &["run", arg(&path)]);
        assert!(
            message.contains(name) && message.contains("not text in UTF-8 (byte 13): save it as UTF-8"),
            "{message}"
        );
    }
}

/// A constraint without a name used to be called "".
#[test]
fn constraints_without_a_name_are_told_by_number_and_bodies() {
    let path = file(
        "nameless.toml",
        "format = \"supple-scene\"\nversion = 1\nkind = \"world\"\n\
         bodies = [{ name = \"crank\", mass = 1, inertia = [1, 0, 0, 1, 0, 1] }]\n\
         joints = [{ kind = \"ball\", parent = -1, child = 0 },\n\
         { kind = \"hinge\", parent = -1, child = 0, actions = [{ type = \"motor\", coordinate = 1, speed = 1, force = 1 }] }]\n",
    );
    let message = failure_of(3, &["run", arg(&path)]);
    assert!(message.contains("number 1, between the world and crank"), "{message}");
}

/// Our own errors look like those of the command line's parser, where colours are wanted.
#[test]
fn errors_are_coloured_alike() {
    let told = |args: &[&str], variable: &str| {
        let output =
            command(args).env_remove("NO_COLOR").env(variable, "1").output().expect("the binary starts");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    for args in [&["run", "pendlum"][..], &["run", "--wings"]] {
        let forced = told(args, "CLICOLOR_FORCE");
        assert!(forced.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "), "{forced:?}");
        assert!(told(args, "NO_COLOR").starts_with("error: "), "{args:?}");
        // no terminal
        assert!(told(args, "NOTHING").starts_with("error: "), "{args:?}");
    }
}

#[test]
fn a_bad_run_leaves_no_file_behind() {
    let csv = scratch("never.csv");
    failure(&["run", "pendulum", "--set", "links=0", "--out", arg(&csv)]);
    assert!(!csv.exists());
}

/// A build without the graphics processor says how to have it.
#[cfg(not(feature = "gpu"))]
#[test]
fn without_a_graphics_processor_it_is_told_what_to_do() {
    for args in [
        &["run", "pendulum-20", "--pixels", "5", "--visibility", "gpu"][..],
        &["bench", "view", "--scene", "pendulum-20", "--visibility", "gpu"],
    ] {
        let message = failure(args);
        assert!(message.contains("--features gpu") && message.contains("item-buffer"), "{message}");
    }
}
