//! The server as pages have it, good ones and bad ones.

mod page;

use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use page::{Page, serve};
use supple_scenes::live::Policy;
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
    let source = supple_viewer::Source { name: "pendulum".into(), ..Default::default() };
    let mut options = supple_viewer::ViewOptions::new(source);
    options.port = port;
    let next = supple_viewer::Server::start(options).await.expect("another port");
    assert_ne!(next.url(), format!("http://{address}/"));
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
