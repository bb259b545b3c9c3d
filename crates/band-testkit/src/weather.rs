//! A TCP proxy in whose place the network goes wrong.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::{Error, Result};

/// How much is carried at once.
const CHUNK: usize = 16 * 1_024;

/// What the network does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weather {
    /// It carries every byte at once.
    Fair,
    /// It carries each piece after this time.
    Slow(Duration),
    /// It carries nothing, and ends no connection either.
    Silent,
    /// It resets every connection, old and new.
    Closed,
}

#[derive(Debug, Clone, Copy)]
struct Sky {
    weather: Weather,
    /// Counts the resets: a connection of an earlier count is reset.
    resets: u64,
}

/// Stands between a client and a server on loopback. When it is dropped, so are its connections.
#[derive(Debug)]
pub struct FaultyNetwork {
    address: SocketAddr,
    sky: watch::Sender<Sky>,
    _carriers: JoinSet<()>,
}

impl FaultyNetwork {
    /// A way to a server such as `127.0.0.1:4000`, in fair weather.
    ///
    /// # Errors
    /// [`Error::Io`] when no port is free.
    pub async fn to(server: &str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::io("no port is free"))?;
        let address = listener.local_addr().map_err(Error::io("a listener has no address"))?;
        let (sky, seen) = watch::channel(Sky { weather: Weather::Fair, resets: 0 });
        let mut carriers = JoinSet::new();
        carriers.spawn(accept(listener, server.to_owned(), seen));
        Ok(Self { address, sky, _carriers: carriers })
    }

    /// Where clients connect to, such as `127.0.0.1:41234`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Changes the weather, for connections that are open too.
    pub fn set(&self, weather: Weather) {
        self.sky.send_modify(|sky| {
            sky.weather = weather;
            sky.resets += u64::from(weather == Weather::Closed);
        });
    }

    /// Resets the connections that are open. New ones are carried.
    pub fn reset(&self) {
        self.sky.send_modify(|sky| sky.resets += 1);
    }
}

async fn accept(listener: TcpListener, server: String, sky: watch::Receiver<Sky>) {
    let mut carried = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((client, _)) = accepted {
                    carried.spawn(carry(client, server.clone(), sky.clone()));
                }
            }
            Some(_) = carried.join_next() => {}
        }
    }
}

async fn carry(client: TcpStream, server: String, sky: watch::Receiver<Sky>) {
    let born = sky.borrow().resets;
    // An error means that the stream is gone already, and there is nothing to reset.
    let _ = client.set_zero_linger();
    if sky.borrow().weather == Weather::Closed {
        return;
    }
    let Ok(server) = TcpStream::connect(server).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut until_reset = sky.clone();
    tokio::select! {
        _ = until_reset.wait_for(|sky| sky.resets > born) => {}
        () = both(pump(from_client, to_server, sky.clone()), pump(from_server, to_client, sky)) => {}
    }
}

async fn both(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    tokio::join!(one, other);
}

/// Carries one direction until its end.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut sky: watch::Receiver<Sky>) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(bytes @ 1..) = from.read(&mut chunk).await {
        let weather = sky.borrow().weather;
        if let Weather::Slow(time) = weather {
            sleep(time).await;
        }
        if sky.wait_for(|sky| sky.weather != Weather::Silent).await.is_err() {
            return;
        }
        let Some(carried) = chunk.get(..bytes) else { return };
        if to.write_all(carried).await.is_err() {
            return;
        }
    }
    // Half of the connection is over; the other half may go on.
    let _ = to.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn echo_server() -> (String, JoinSet<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut streams = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                streams.spawn(async move {
                    let (mut read, mut write) = stream.split();
                    let _ = tokio::io::copy(&mut read, &mut write).await;
                });
            }
        });
        (address, tasks)
    }

    async fn ask(stream: &mut TcpStream) -> std::io::Result<u8> {
        stream.write_all(b"x").await?;
        stream.read_u8().await
    }

    #[tokio::test]
    async fn a_reset_ends_what_is_open_and_a_new_connection_is_carried() {
        let (server, _tasks) = echo_server().await;
        let network = FaultyNetwork::to(&server).await.unwrap();
        let mut stream = TcpStream::connect(network.address()).await.unwrap();
        assert_eq!(ask(&mut stream).await.unwrap(), b'x');
        network.reset();
        assert!(stream.read_u8().await.is_err());
        let mut again = TcpStream::connect(network.address()).await.unwrap();
        assert_eq!(ask(&mut again).await.unwrap(), b'x');
        network.set(Weather::Closed);
        assert!(again.read_u8().await.is_err());
    }

    #[tokio::test]
    async fn what_was_silent_is_carried_afterwards() {
        let (server, _tasks) = echo_server().await;
        let network = FaultyNetwork::to(&server).await.unwrap();
        let mut stream = TcpStream::connect(network.address()).await.unwrap();
        network.set(Weather::Silent);
        stream.write_all(b"y").await.unwrap();
        network.set(Weather::Slow(Duration::from_millis(1)));
        assert_eq!(stream.read_u8().await.unwrap(), b'y');
    }
}
