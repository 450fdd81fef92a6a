//! A page without a browser: it speaks the protocol and keeps what it is told.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use supple_scenes::live::Policy;
use supple_viewer::{Server, Source, ViewOptions};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Starts a server with a scene on any port; its address without scheme.
pub(crate) async fn serve(scene: &str, settings: &[(&str, &str)], policy: Policy) -> String {
    let settings = settings.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    serve_source(Source { name: scene.into(), settings, ..Source::default() }, policy).await
}

/// The same with any source.
pub(crate) async fn serve_source(source: Source, policy: Policy) -> String {
    let mut options = ViewOptions::new(source);
    (options.port, options.policy) = (0, policy);
    let server = Server::start(options).await.expect("the server starts");
    let address = server.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    tokio::spawn(server.serve());
    address
}

/// What a frame has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) epoch: u32,
    pub(crate) whole: bool,
    pub(crate) time: f64,
    pub(crate) numbers: Vec<f32>,
    /// Groups of actors that were regrouped.
    pub(crate) regrouped: BTreeMap<u32, u32>,
    /// First position of every group of actors that moved.
    pub(crate) moved: BTreeMap<u32, Vec<[f32; 3]>>,
    pub(crate) held: bool,
    pub(crate) nodes: Vec<u8>,
    pub(crate) bytes: usize,
}

pub(crate) struct Page {
    pub(crate) socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) scene: Value,
    pub(crate) state: Value,
    pub(crate) errors: Vec<String>,
    /// Groups of every actor, as known now.
    pub(crate) groups: BTreeMap<u32, u32>,
    pub(crate) you: u64,
}

impl Page {
    /// Connects, with an origin if one is given.
    pub(crate) async fn open(address: &str, origin: Option<&str>) -> Result<Self, Error> {
        Self::open_at(address, "", origin).await
    }

    /// The same with a query, as the page has it.
    pub(crate) async fn open_at(address: &str, query: &str, origin: Option<&str>) -> Result<Self, Error> {
        let mut request = format!("ws://{address}/ws{query}").into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().expect("an origin"));
        }
        let (socket, _) = connect_async(request).await?;
        let page = Self {
            socket,
            scene: Value::Null,
            state: Value::Null,
            errors: Vec::new(),
            groups: BTreeMap::new(),
            you: 0,
        };
        Ok(page)
    }

    pub(crate) async fn say(&mut self, text: impl Into<String>) {
        self.socket.send(Message::text(text.into())).await.expect("the server listens");
    }

    /// The next frame; texts on the way are kept.
    pub(crate) async fn frame(&mut self) -> Frame {
        loop {
            let message = timeout(Duration::from_secs(20), self.socket.next()).await.expect("something new");
            match message.expect("the server is there").expect("a message") {
                Message::Text(text) => self.hear(&text),
                Message::Binary(bytes) => {
                    let frame = self.read(&bytes);
                    self.groups.extend(&frame.regrouped);
                    return frame;
                }
                _ => {}
            }
        }
    }

    /// Frames until something holds, or twenty seconds are over.
    pub(crate) async fn until(&mut self, what: &str, mut holds: impl FnMut(&Self, &Frame) -> bool) -> Frame {
        let began = Instant::now();
        loop {
            let frame = self.frame().await;
            if holds(self, &frame) {
                return frame;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "it never came to this: {what}");
        }
    }

    /// Messages until something holds, or twenty seconds are over, whether there are frames or not.
    pub(crate) async fn until_told(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !holds(self) {
            let Ok(message) = tokio::time::timeout_at(end, self.socket.next()).await else {
                panic!("it never came to this: {what}");
            };
            match message.expect("the server is there").expect("a message") {
                Message::Text(text) => self.hear(&text),
                Message::Binary(bytes) => {
                    let frame = self.read(&bytes);
                    self.groups.extend(&frame.regrouped);
                }
                _ => {}
            }
        }
    }

    fn hear(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).expect("JSON");
        match message["type"].as_str() {
            Some("scene") => self.scene = message,
            Some("state") => self.state = message,
            Some("error") => self.errors.push(message["message"].as_str().unwrap_or_default().to_owned()),
            Some("hello") => self.you = message["you"].as_u64().unwrap_or_default(),
            _ => {}
        }
    }

    fn read(&self, bytes: &[u8]) -> Frame {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let number = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        assert_eq!(word(0), 1);
        let mut frame = Frame {
            epoch: word(4),
            whole: word(12) & 1 == 1,
            time: f64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes")),
            numbers: (0..16).map(|i| number(24 + 4 * i)).collect(),
            bytes: bytes.len(),
            ..Frame::default()
        };
        let mut groups = if frame.whole { BTreeMap::new() } else { self.groups.clone() };
        let actors = self.scene["actors"].as_array().expect("a scene comes first");
        let mut at = 92;
        for _ in 0..word(88) {
            let (actor, count) = (word(at), word(at + 4));
            frame.regrouped.insert(actor, count);
            groups.insert(actor, count);
            let figure = actors[actor as usize].as_u64().expect("a figure") as usize;
            let bodies = self.scene["figures"][figure]["bodies"].as_array().expect("bodies").len();
            for body in 0..bodies {
                let group = word(at + 8 + 32 * body);
                assert!(group < count || group == u32::MAX, "group {group} of {count}");
            }
            at += 8 + 32 * bodies;
        }
        let moved = word(at);
        at += 4;
        for _ in 0..moved {
            let actor = word(at);
            at += 4;
            let count = groups[&actor] as usize;
            let place = |i: usize| [0, 4, 8].map(|k| number(at + 36 * i + k));
            frame.moved.insert(actor, (0..count).map(place).collect());
            at += 36 * count;
        }
        frame.held = word(at) == 1;
        at += if frame.held { 36 } else { 4 };
        let nodes = word(at) as usize;
        frame.nodes = bytes[at + 4..at + 4 + nodes].to_vec();
        at += 4 + nodes.next_multiple_of(4);
        assert_eq!(at, bytes.len(), "nothing is left over");
        frame
    }
}
