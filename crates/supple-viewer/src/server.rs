//! The server: finds a port, starts the engine, serves pages.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::mpsc::sync_channel;

use axum::Router;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use supple_scenes::live::Policy;
use tokio::net::TcpListener;

use crate::board::Board;
use crate::engine::Engine;
use crate::guard::Guard;
use crate::own_address::addresses;
use crate::pages;
use crate::source::{OpenError, Source};
use crate::watcher::{Hall, watch};

/// Ports that are tried, one after the other.
const PORTS: u16 = 100;
/// Orders that wait for the engine at most.
const ORDERS: usize = 4096;
/// Messages longer than this end the connection; shorter ones that are too long are refused \[bytes].
const LONGEST: usize = 1 << 20;

/// What is shown, and where.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// The scene.
    pub source: Source,
    /// Address to listen on; loopback, so that nobody else sees it, unless asked otherwise. Others need the token in [`Server::url`].
    pub host: IpAddr,
    /// Port to begin with; the next free one is taken. 0: any.
    pub port: u16,
    /// Length of a step \[s]; the scene's own if not given.
    pub dt: Option<f64>,
    /// Detail to begin with.
    pub policy: Policy,
    /// Folder to take the page from, for who works on it; else it is in the binary.
    pub page: Option<PathBuf>,
}

impl ViewOptions {
    /// A scene on loopback.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            host: Ipv4Addr::LOCALHOST.into(),
            port: 7878,
            dt: None,
            policy: Policy::Scene,
            page: None,
        }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The scene cannot be shown.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The page was to be taken from a folder that has none.
    #[error("cannot take the page from {}: {what}", folder.display())]
    NoPage {
        /// The folder.
        folder: PathBuf,
        /// What is missing, and what to do.
        what: &'static str,
    },
    /// No port is free.
    #[error("cannot listen on {host}, ports {port} to {last}: {error}", last = port.saturating_add(PORTS - 1))]
    Port {
        /// The address.
        host: IpAddr,
        /// The first port that was tried.
        port: u16,
        /// Why the last was not to be had.
        error: io::Error,
    },
    /// The thread of the simulation cannot be started, or the server stopped.
    #[error("the server stopped: {0}")]
    Io(#[from] io::Error),
}

/// A server that has its port, and a simulation that runs.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    asked: u16,
    guard: Guard,
    router: Router,
}

#[derive(Clone, Debug)]
struct Site {
    hall: Hall,
    guard: Guard,
    page: Option<Arc<Path>>,
}

impl Server {
    /// Opens the scene, starts the simulation and finds a port.
    pub async fn start(options: ViewOptions) -> Result<Self, ServerError> {
        if let Some(folder) = &options.page {
            let no_page = |what| ServerError::NoPage { folder: folder.clone(), what };
            pages::check(folder).map_err(no_page)?;
        }
        let listener = bind(options.host, options.port).await?;
        let address = listener.local_addr()?;
        let board = Arc::new(Board::new());
        let (orders, receiver) = sync_channel(ORDERS);
        let guard = Guard::new(options.host)?;
        let ViewOptions { source, dt, policy, page, port, .. } = options;
        let engine = Engine::new(board.clone(), receiver, source, dt, policy)?;
        std::thread::Builder::new().name("simulation".into()).spawn(move || engine.run())?;
        let hall = Hall { board, orders, next: Arc::new(AtomicU32::new(1)) };
        let site = Site { hall, guard: guard.clone(), page: page.map(Into::into) };
        let router = Router::new()
            .route("/ws", get(socket))
            .route("/api/scenes", get(scenes))
            .fallback(get(|State(site): State<Site>, uri: Uri| async move {
                pages::file(site.page.as_deref(), &uri)
            }))
            .layer(from_fn_with_state(guard.clone(), by_known_name))
            .with_state(site);
        Ok(Self { listener, address, asked: port, guard, router })
    }

    /// Where the page is on this machine.
    pub fn url(&self) -> String {
        self.urls().pop().unwrap_or_default()
    }

    /// Where the page is: for other machines first, if it listens for them, for this one last.
    pub fn urls(&self) -> Vec<String> {
        let token = self.guard.token().map(|token| format!("?token={}", token.text())).unwrap_or_default();
        let port = self.address.port();
        let url = |ip| format!("http://{}/{token}", SocketAddr::new(ip, port));
        addresses(self.address.ip()).into_iter().map(url).collect()
    }

    /// Whether other machines can reach it.
    pub fn is_public(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// The port that was asked for, and the one that it got, if that was taken.
    pub fn moved(&self) -> Option<(u16, u16)> {
        let got = self.address.port();
        (self.asked != 0 && self.asked != got).then_some((self.asked, got))
    }

    /// Whether the page is in this build, or only a note that names the command to build it.
    pub fn has_page() -> bool {
        pages::is_built()
    }

    /// Serves pages, without end.
    pub async fn serve(self) -> Result<(), ServerError> {
        Ok(axum::serve(self.listener, self.router).await?)
    }
}

/// The first port that is free.
async fn bind(host: IpAddr, port: u16) -> Result<TcpListener, ServerError> {
    let last = if port == 0 { 0 } else { port.saturating_add(PORTS - 1) };
    let mut at = port;
    loop {
        match TcpListener::bind((host, at)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if at == last || error.kind() != io::ErrorKind::AddrInUse => {
                return Err(ServerError::Port { host, port, error });
            }
            Err(_) => at += 1,
        }
    }
}

/// Nothing is for those who call the server by a name that is not its own.
async fn by_known_name(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.knows_host(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => refused(why),
    }
}

fn refused(why: &'static str) -> Response {
    (StatusCode::FORBIDDEN, why).into_response()
}

async fn scenes(State(site): State<Site>, headers: HeaderMap, uri: Uri) -> Response {
    match site.guard.lets_in(&headers, &uri) {
        Ok(()) => pages::scenes(site.page.as_deref()).into_response(),
        Err(why) => refused(why),
    }
}

async fn socket(
    State(site): State<Site>,
    headers: HeaderMap,
    uri: Uri,
    upgrade: WebSocketUpgrade,
) -> Response {
    if let Err(why) = site.guard.lets_in(&headers, &uri) {
        return refused(why);
    }
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .on_upgrade(move |socket| watch(site.hall, socket))
}
