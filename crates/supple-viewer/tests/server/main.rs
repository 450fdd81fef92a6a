//! The server as pages have it, good ones and bad ones.

mod page;

use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use page::{Page, serve, serve_source};
use supple::RigidInertia;
use supple::world::{SingleBody, World, WorldError};
use supple_scenes::live::Policy;
use supple_scenes::{SceneError, Stage};
use supple_viewer::{Made, Server, Source, ViewOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Error, Message};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_sees_the_scene_move() {
    let address = serve("pendulum", &[("links", "40")], Policy::Joints(4)).await;
    let mut page = Page::open(&address, None).await.expect("it connects");
    let first = page.frame().await;
    assert!(first.whole && page.you == 1);
    assert_eq!(page.scene["name"], "pendulum");
    assert_eq!(page.scene["joints"], 40);
    assert_eq!(page.state["detail"]["policy"], "joints");
    let later = page.until("a second passes", |_, frame| frame.time > 0.5).await;
    assert!(!later.whole && later.numbers[0] <= 4.0 && page.groups[&0] <= 4);
    // what a step took is known, and that it goes in real time
    page.until("the rate is known", |_, frame| (0.7..1.3).contains(&frame.numbers[4])).await;
    // a frame of four groups is small
    let small =
        page.until("a frame without regrouping", |_, f| f.regrouped.is_empty() && f.nodes.is_empty()).await;
    assert!(small.bytes <= 88 + 4 + 4 + 4 + 4 * 36 + 4 + 4, "{} bytes", small.bytes);
    // more detail, more groups
    page.say(r#"{"do":"detail","policy":"full"}"#).await;
    page.until("all joints", |page, _| page.groups[&0] == 40).await;
    page.say(r#"{"do":"detail","policy":"joints","value":1}"#).await;
    page.until("one joint", |page, _| page.groups[&0] <= 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_do_what_they_say() {
    let address = serve("pendulum", &[("links", "10")], Policy::Scene).await;
    let mut page = Page::open(&address, None).await.expect("it connects");
    page.until("it moves", |_, frame| frame.time > 0.1).await;
    page.say(r#"{"do":"pause"}"#).await;
    let paused = page.until("it stands", |page, _| page.state["playing"] == false).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    page.say(r#"{"do":"step","count":3}"#).await;
    let dt = page.scene["dt"].as_f64().expect("dt");
    let stepped = page.until("three steps", |_, frame| frame.time > paused.time + 2.5 * dt).await;
    assert!((stepped.time - paused.time - 3.0 * dt).abs() < 1e-9, "{} {}", stepped.time, paused.time);
    page.say(r#"{"do":"reset"}"#).await;
    let reset = page.until("from the start", |_, frame| frame.epoch == 2).await;
    assert!(reset.time == 0.0 && reset.whole);
    assert_eq!(page.state["playing"], false);
    page.say(r#"{"do":"play"}"#).await;
    page.say(r#"{"do":"speed","value":4}"#).await;
    page.until("four times as fast", |_, frame| (3.0..5.0).contains(&frame.numbers[4])).await;
    page.say(r#"{"do":"open","scene":"stack-10","settings":{}}"#).await;
    page.until("another scene", |page, frame| frame.epoch == 3 && page.scene["name"] == "stack-10").await;
    page.say(r#"{"do":"detail","policy":"budget","value":3}"#).await;
    page.say(r#"{"do":"open","scene":"stack-11"}"#).await;
    page.say(r#"{"do":"follow","actor":1000}"#).await;
    page.until("three complaints", |page, _| page.errors.len() == 3).await;
    assert!(page.errors[0].contains("budget") && page.errors[1].contains("stack-10"), "{:?}", page.errors);
    assert_eq!(page.scene["name"], "stack-10");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_drags_and_the_others_watch() {
    let address = serve("pendulum", &[("links", "5")], Policy::Full).await;
    let mut one = Page::open(&address, None).await.expect("it connects");
    let mut other = Page::open(&address, None).await.expect("it connects");
    one.frame().await;
    other.until("both watch", |page, _| page.state["watchers"] == 2).await;
    one.say(r#"{"do":"grab","actor":0,"body":4,"point":[0,0,0],"to":[0.3,-0.3,0]}"#).await;
    one.until("it is held", |page, frame| frame.held && page.state["holder"] == "you").await;
    other.until("somebody holds it", |page, frame| frame.held && page.state["holder"] == "other").await;
    other.say(r#"{"do":"grab","actor":0,"body":4,"point":[0,0,0],"to":[0,0,0]}"#).await;
    other.say(r#"{"do":"pull","to":[5,5,5]}"#).await;
    other.until("it is refused", |page, _| !page.errors.is_empty()).await;
    assert!(other.errors[0].contains("somebody else"), "{:?}", other.errors);
    one.until("it comes", |_, frame| {
        frame.moved.get(&0).is_some_and(|g| (g[4][0] - 0.3).abs() < 0.03 && (g[4][1] + 0.3).abs() < 0.05)
    })
    .await;
    // who goes away lets go
    drop(one);
    other.until("it is free", |page, frame| !frame.held && page.state["holder"].is_null()).await;
    other.say(r#"{"do":"grab","actor":0,"body":0,"point":[0,0,0],"to":[0,0,0]}"#).await;
    other.until("it can be taken again", |page, _| page.state["holder"] == "you").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_pages_of_its_own_are_served() {
    let address = serve("pendulum", &[("links", "2")], Policy::Scene).await;
    assert!(Page::open(&address, Some(&format!("http://{address}"))).await.is_ok());
    for origin in ["http://example.org", "null", "http://127.0.0.1:1"] {
        let refused = Page::open(&address, Some(origin)).await;
        assert!(matches!(refused, Err(Error::Http(answer)) if answer.status() == 403), "{origin}");
    }
    // another server finds the next port
    let port: u16 = address.rsplit(':').next().and_then(|p| p.parse().ok()).expect("a port");
    let source = Source { name: "pendulum".into(), ..Source::default() };
    let mut options = ViewOptions::new(source);
    options.port = port;
    let next = Server::start(options).await.expect("another port");
    assert_ne!(next.url(), format!("http://{address}/"));
    assert!(next.moved().is_some_and(|(asked, got)| asked == port && got > port), "{:?}", next.moved());
    // plain pages: the gallery, the page or its stub, and nothing else
    for (path, says) in
        [("/api/scenes", "200 OK"), ("/", "200 OK"), ("/../Cargo.toml", "404"), ("/assets/none.js", "404")]
    {
        let mut stream = TcpStream::connect(&address).await.expect("it listens");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it hears");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("it answers");
        let head = String::from_utf8_lossy(&answer);
        assert!(
            head.lines().next().is_some_and(|line| line.contains(says)),
            "{path}: {:?}",
            head.lines().next()
        );
    }
}

/// The first line that the server answers to a request with these headers.
async fn answer(address: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("it hears");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("it answers");
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

/// A page of somebody else whose name was made to lead here used to be let in, and the address printed was one that nobody can open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beyond_loopback_a_token_is_wanted() {
    let mut options = ViewOptions::new(Source { name: "pendulum".into(), ..Source::default() });
    (options.port, options.host) = (0, "0.0.0.0".parse().expect("an address"));
    let server = Server::start(options).await.expect("the server starts");
    assert!(
        server.is_public() && server.urls().iter().all(|url| !url.contains("0.0.0.0")),
        "{:?}",
        server.urls()
    );
    let url = server.url();
    let rest = url.strip_prefix("http://").expect("an address");
    let (address, query) = rest.split_once('/').expect("a path");
    assert!(address.starts_with("127.0.0.1:") && query.len() == "?token=".len() + 32, "{url}");
    tokio::spawn(server.serve());
    // with it
    let mut page =
        Page::open_at(address, query, Some(&format!("http://{address}"))).await.expect("it is let in");
    page.until("it moves", |_, frame| frame.time > 0.1).await;
    let own = format!("Host: {address}");
    assert!(answer(address, &format!("/api/scenes{query}"), &own).await.contains("200"));
    // without it, or with another
    for query in ["", "?token=0123456789abcdef0123456789abcdef", "?token="] {
        let refused = Page::open_at(address, query, None).await;
        assert!(matches!(refused, Err(Error::Http(answer)) if answer.status() == 403), "{query}");
        assert!(answer(address, &format!("/api/scenes{query}"), &own).await.contains("403"), "{query}");
    }
    // another name that leads here is not let in at all
    for path in ["/".to_owned(), format!("/api/scenes{query}"), format!("/ws{query}")] {
        let rebound = "Host: evil.example\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
        assert!(answer(address, &path, rebound).await.contains("403"), "{path}");
    }
}

/// A body alone; `act` is called before each step with the number of steps taken.
fn made(act: impl Fn(u64) -> Result<(), WorldError> + Clone + Send + Sync + 'static) -> Source {
    let make = move || -> Result<Stage, SceneError> {
        let mut world = World::new();
        world.add_body(SingleBody::new("stone", RigidInertia::solid_sphere(1.0, 0.1, Default::default())))?;
        let (mut stage, act) = (Stage::new(world, 0.01, 10.0), act.clone());
        stage.script.director = Some(Box::new(move |world: &mut World, _: f64| act(world.steps())));
        Ok(stage)
    };
    Source { name: "made".into(), made: Some(Made::new(make)), ..Source::default() }
}

/// A panic in a step used to end the thread of the simulation, and pages stood still without a word.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scene_that_ends_by_a_fault_can_begin_anew() {
    let panics = made(|steps| if steps == 20 { panic!("a wheel came off") } else { Ok(()) });
    let address = serve_source(panics, Policy::Scene).await;
    let mut page = Page::open(&address, None).await.expect("it connects");
    let mut other = Page::open(&address, None).await.expect("it connects");
    for page in [&mut page, &mut other] {
        page.until_told("it has ended", |page| !page.state["ended"].is_null()).await;
        let told = page.state["ended"].as_str().unwrap_or_default().to_owned();
        assert!(told.contains("made") && told.contains("a wheel came off"), "{told}");
        assert_eq!(page.state["playing"], false);
    }
    // whoever comes now is told, too
    let mut late = Page::open(&address, None).await.expect("it connects");
    late.until_told("it has ended", |page| !page.state["ended"].is_null()).await;
    page.say(r#"{"do":"play"}"#).await;
    page.until_told("it is refused", |page| page.errors.iter().any(|e| e.contains("reset it"))).await;
    let epoch = page.scene["epoch"].as_u64();
    page.say(r#"{"do":"reset"}"#).await;
    page.until_told("it is there again", |page| page.state["ended"].is_null()).await;
    page.say(r#"{"do":"step","count":5}"#).await;
    let frame = page.until("it goes on", |_, frame| frame.time > 0.04).await;
    assert!(u64::from(frame.epoch) > epoch.unwrap_or(0));
    // and ends again, and another scene takes its place
    page.say(r#"{"do":"play"}"#).await;
    page.until_told("it has ended again", |page| !page.state["ended"].is_null()).await;
    page.say(r#"{"do":"open","scene":"pendulum","settings":{"links":"3"}}"#).await;
    page.say(r#"{"do":"play"}"#).await;
    page.until("another scene", |page, frame| page.scene["name"] == "pendulum" && frame.time > 0.1).await;
}

/// What a step refuses is told, and the scene can go on from where it was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_fails_pauses_the_scene() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let once = Arc::new(AtomicBool::new(true));
    let fails = made(move |steps| match steps == 20 && once.swap(false, Ordering::Relaxed) {
        true => Err(WorldError::BadStep { dt: -1.0 }),
        false => Ok(()),
    });
    let address = serve_source(fails, Policy::Scene).await;
    let mut page = Page::open(&address, None).await.expect("it connects");
    page.until_told("the error", |page| page.errors.iter().any(|e| e.contains("dt must be positive"))).await;
    page.until_told("it stands", |page| page.state["playing"] == false).await;
    assert!(page.state["ended"].is_null());
    page.say(r#"{"do":"play"}"#).await;
    page.until("it goes on", |_, frame| frame.time > 0.4).await;
    page.say(r#"{"do":"reset"}"#).await;
    page.until("from the start", |_, frame| frame.epoch == 2 && frame.time < 0.1).await;
}

/// All members of a crowd used to be taken for the first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_two_models_is_shown() {
    let name = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenes/two-models.toml").to_owned();
    let address = serve_source(Source { name, is_file: true, ..Source::default() }, Policy::Full).await;
    let mut page = Page::open(&address, None).await.expect("it connects");
    page.until("it moves", |_, frame| frame.time > 0.1).await;
    assert_eq!(page.scene["actors"], serde_json::json!([0, 1, 0]));
    let bodies = |figure: usize| page.scene["figures"][figure]["bodies"].clone();
    assert_eq!([bodies(0), bodies(1)], [serde_json::json!(["upper", "lower"]), serde_json::json!(["stone"])]);
    assert_eq!(page.groups, [(0, 2), (1, 1), (2, 2)].into());
}

/// Memory that is in use \[MiB]; `None` where that cannot be asked.
fn memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096.0 / (1 << 20) as f64)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_pages_do_no_harm() {
    let address = serve("crowd-200", &[("characters", "20")], Policy::Budget(100)).await;
    let mut good = Page::open(&address, None).await.expect("it connects");
    good.until("it runs", |_, frame| frame.time > 0.3).await;
    // one that never reads
    let mut deaf = Page::open(&address, None).await.expect("it connects");
    let before = memory();
    let (began, from) = (Instant::now(), good.frame().await.time);
    let mut bad = Page::open(&address, None).await.expect("it connects");
    let nonsense = [
        "",
        "{",
        "null",
        "[1,2]",
        "\u{0}\u{1}",
        r#"{"do":1}"#,
        r#"{"do":"grab"}"#,
        r#"{"do":"pull","to":"x"}"#,
    ];
    for i in 0..1000 {
        let message = match i % 10 {
            8 => Message::binary(vec![i as u8; 100]),
            9 => Message::text(format!(
                r#"{{"do":"grab","actor":{i},"body":{i},"point":[1e300,0,0],"to":[0,1e300,0]}}"#
            )),
            k => Message::text(nonsense[k]),
        };
        bad.socket.send(message).await.expect("it is not cut off for nonsense");
        deaf.socket.send(Message::text("nonsense")).await.expect("it is heard though it does not listen");
    }
    // too long: refused while it can be, cut off beyond
    for i in 0..50 {
        bad.say("x".repeat(70_000 + i)).await;
    }
    bad.until("it was told", |page, _| page.errors.iter().any(|e| e.contains("refused"))).await;
    for _ in 0..50 {
        let mut huge = Page::open(&address, None).await.expect("it connects");
        let sent = huge.socket.send(Message::text("x".repeat(2 << 20))).await;
        if sent.is_ok() {
            // the server hangs up, sooner or later
            while let Some(Ok(_)) = huge.socket.next().await {}
        }
    }
    // gone without a word
    for _ in 0..50 {
        let page = Page::open(&address, None).await.expect("it connects");
        drop(page.socket.into_inner());
    }
    let last = good.until("it goes on", |_, frame| frame.time > from + 2.0).await;
    let gone = began.elapsed().as_secs_f64();
    // real time but for what a loaded machine takes
    let rate = (last.time - from) / gone;
    assert!(rate > 0.6, "{rate} simulated seconds per second");
    if let (Some(before), Some(after)) = (before, memory()) {
        // no frame and no message was kept for those who do not take them
        assert!(after - before < 64.0, "{before} MiB before, {after} MiB after");
    }
    good.until("the others are gone", |page, _| page.state["watchers"].as_u64().is_some_and(|n| n <= 3))
        .await;
    drop(deaf);
    drop(bad);
    good.until("all are gone", |page, _| page.state["watchers"] == 1).await;
}
