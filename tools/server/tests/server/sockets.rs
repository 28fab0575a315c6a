//! Over sockets: slow clients, and the end.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{FEN, Limits, server};

/// A server on a free port, with what stops it.
async fn start(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let server = server(&[], limits);
    let serving = tokio::spawn(server.serve(listener, async {
        let _ = stopped.await;
    }));
    (address, stop, serving)
}

/// Sends bytes, and reads until the server closes the connection.
async fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    rest(&mut stream).await
}

async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn request() -> String {
    format!("GET /standard?fen={FEN} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
}

/// The beginnings of requests: a head without an end, and a body without one.
const BEGINNINGS: [&str; 2] = [
    "GET /standard?fen=",
    "POST /standard HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n \r\n",
];

async fn begin(address: SocketAddr, beginning: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(beginning.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_stall_nobody() {
    let (address, stop, serving) = start(Limits::default()).await;
    // More than requests may be worked on at a time.
    let mut slow = Vec::new();
    for beginning in BEGINNINGS.repeat(Limits::default().together) {
        slow.push(begin(address, beginning).await);
    }
    let answer = exchange(address, request().as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    drop(slow);
    stop.send(()).unwrap();
    serving.await.unwrap();
}

/// The server ends the connections without another byte of the client's. Only the time that is meant to pass is short, so that
/// a busy machine makes no other pass before it.
#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_cut_off() {
    let [second, hour] = [1, 3600].map(Duration::from_secs);
    for (beginning, [header, request], told) in [
        (BEGINNINGS[0], [second, hour], false),
        (BEGINNINGS[1], [hour, second], true),
    ] {
        let (address, stop, serving) = start(Limits {
            header,
            request,
            ..Limits::default()
        })
        .await;
        let answer = rest(&mut begin(address, beginning).await).await;
        assert_eq!(answer.contains("the time is up"), told, "{answer}");
        stop.send(()).unwrap();
        serving.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_http_is_refused() {
    let (address, stop, serving) = start(Limits::default()).await;
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(1 << 20));
    for bytes in [
        &b"\0\xff\xfe\r\n\r\n"[..],
        b"GET /\xff HTTP/1.1\r\n\r\n",
        long.as_bytes(),
    ] {
        let answer = exchange(address, bytes).await;
        let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(refused, "{answer}");
    }
    assert!(
        exchange(address, request().as_bytes())
            .await
            .contains("\"win\"")
    );
    stop.send(()).unwrap();
    serving.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_ends_what_has_begun() {
    let (address, stop, serving) = start(Limits::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let line = format!("\"{FEN}\"\n");
    let head = "POST /standard HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("{:x}\r\n{line}\r\n", line.len());
    stream
        .write_all(format!("{head}{chunk}").as_bytes())
        .await
        .unwrap();
    // The first line is answered before the second is sent.
    let mut answer = String::new();
    while !answer.contains("\"win\"") {
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).await.unwrap();
        assert!(count > 0, "{answer}");
        answer += std::str::from_utf8(&bytes[..count]).unwrap();
    }
    stop.send(()).unwrap();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    stream
        .write_all(format!("{chunk}0\r\n\r\n").as_bytes())
        .await
        .unwrap();
    assert!(rest(&mut stream).await.contains("\"win\""));
    serving.await.unwrap();
}
