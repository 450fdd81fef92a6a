//! One page that watches: its commands in, frames out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};

use crate::board::Board;
use crate::command::{Command, LONGEST};
use crate::engine::Order;
use crate::frame::{self, Seen};

/// A page that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// What all watchers share.
#[derive(Clone, Debug)]
pub(crate) struct Hall {
    pub(crate) board: Arc<Board>,
    pub(crate) orders: SyncSender<Order>,
    pub(crate) next: Arc<AtomicU32>,
}

impl Hall {
    /// Gives an order, if the engine can still hear it.
    fn order(&self, me: u32, command: Command) -> Result<(), String> {
        match self.orders.try_send((me, command)) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err("too many commands at once: the last was not heard".into()),
            Err(TrySendError::Disconnected(_)) => Err("the simulation has ended".into()),
        }
    }

    /// One more or one less watches.
    fn count(&self, more: bool) {
        let mut notes = self.board.notes();
        let watchers = &mut notes.state.watchers;
        *watchers = if more { *watchers + 1 } else { watchers.saturating_sub(1) };
        notes.changes += 1;
        drop(notes);
        self.board.ring();
    }
}

/// Serves one page until it goes away.
pub(crate) async fn watch(hall: Hall, socket: WebSocket) {
    let me = hall.next.fetch_add(1, Ordering::Relaxed);
    hall.count(true);
    let (out, from) = socket.split();
    // whichever ends first ends the other
    tokio::select! {
        () = listen(&hall, me, from) => {}
        () = tell(&hall, me, out) => {}
    }
    hall.count(false);
    // lets go of what it held; if there is no room for that, the engine is busy with other orders and will have it soon
    let mut tries = 0;
    while let Err(TrySendError::Full(_)) = hall.orders.try_send((me, Command::Leave)) {
        tries += 1;
        if tries > 100 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Hears commands.
async fn listen(hall: &Hall, me: u32, mut from: SplitStream<WebSocket>) {
    while let Some(Ok(message)) = from.next().await {
        let heard = match message {
            Message::Text(text) => Command::read(&text).and_then(|command| hall.order(me, command)),
            Message::Binary(bytes) => Err(format!(
                "a binary message of {} bytes was refused: commands are text of no more than {LONGEST} bytes",
                bytes.len()
            )),
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        };
        if let Err(error) = heard {
            hall.board.complain(Some(me), &error);
        }
    }
}

/// Tells what is new, when the page can take it.
async fn tell(hall: &Hall, me: u32, mut out: SplitSink<WebSocket, Message>) {
    let mut bell = hall.board.bell.subscribe();
    let mut shouts = hall.board.shouts.subscribe();
    let hello = serde_json::json!({ "type": "hello", "version": 1, "you": me }).to_string();
    if !send(&mut out, Message::text(hello)).await {
        return;
    }
    let (mut epoch, mut tree, mut changes) = (0, 0, u64::MAX);
    let (mut seen, mut buffer) = (Seen::default(), Vec::new());
    loop {
        let mut texts: Vec<String> = Vec::new();
        {
            let notes = hall.board.notes();
            if notes.epoch != epoch {
                epoch = notes.epoch;
                texts.push(notes.scene.to_string());
            }
            if notes.changes != changes {
                changes = notes.changes;
                texts.push(notes.state.message(me));
            }
            if notes.tree.0 != tree {
                tree = notes.tree.0;
                texts.push(notes.tree.1.to_string());
            }
            // nothing is there before the first picture of a scene
            if notes.number > 0 {
                frame::write(&notes, &mut seen, &mut buffer);
            } else {
                buffer.clear();
            }
        }
        for text in texts {
            if !send(&mut out, Message::text(text)).await {
                return;
            }
        }
        if !buffer.is_empty() && !send(&mut out, Message::Binary(Bytes::copy_from_slice(&buffer))).await {
            return;
        }
        tokio::select! {
            rung = bell.changed() => if rung.is_err() { return },
            shout = shouts.recv() => {
                if let Ok((to, text)) = shout
                    && to.is_none_or(|to| to == me)
                    && !send(&mut out, Message::text(text.to_string())).await
                {
                    return;
                }
            }
        }
    }
}

/// Sends a message; whether the page took it.
async fn send(out: &mut SplitSink<WebSocket, Message>, message: Message) -> bool {
    matches!(tokio::time::timeout(PATIENCE, out.send(message)).await, Ok(Ok(())))
}
