//! Files of rooms over HTTP, on both sides.

use std::os::unix::fs::PermissionsExt;

use http::Method;
use serde_json::{Value, json};

use crate::live::{Answer, Party, Phoenix, Populated, text_of};

impl Populated {
    fn files(&self, side: &str) -> String {
        format!("/api/v1/{side}/chats/{}/files", self.room)
    }

    async fn fetches(&self, who: &Party, path: &str, range: Option<&str>) -> Answer {
        let request = self.site.request(Method::GET, path).header("x-api-key", &who.key);
        Answer::of(range.into_iter().fold(request, |request, range| request.header("range", range))).await
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

#[tokio::test]
async fn a_file_is_what_it_holds_and_comes_back_byte_for_byte() {
    let p = Populated::start().await;
    let large = [0x1f, 0x8b, 8, 0].repeat(1_000_000);
    for (name, bytes, kind) in [
        ("a.txt", &b"plain words\n"[..], "text/plain"),
        ("large.gz", &large, "application/gzip"),
        ("b.bin", &[0, 159, 146, 150][..], "application/octet-stream"),
        ("c.txt", PNG, "image/png"),
        ("d.json", b"{\"a\": 1}", "text/plain"),
        ("BM.txt", b"BMW builds cars", "text/plain"),
        ("e", b"", "application/octet-stream"),
    ] {
        let made = p.site.upload(&p.helper, &p.files("agent"), name, bytes).await.expect(201)["data"].clone();
        assert_eq!((&made["name"], &made["content_type"]), (&json!(name), &json!(kind)), "{name}");
        assert_eq!((&made["bytes"], &made["has_thumb"]), (&json!(bytes.len()), &json!(false)));
        assert!(made["expires_at"].is_null());
        for (who, side) in [(&p.helper, "agent"), (&p.ann, "me")] {
            let path = format!("{}/{}", p.files(side), text_of(&made["id"]));
            let got = p.fetches(who, &path, None).await;
            assert_eq!((got.status.as_u16(), got.bytes()), (200, bytes), "{name}");
            assert_eq!(got.header("content-type"), Some(kind));
            let disposition = format!("attachment; filename=\"{name}\"");
            assert_eq!(got.header("content-disposition"), Some(&*disposition));
            assert_eq!(got.header("x-content-type-options"), Some("nosniff"));
        }
    }
}

#[tokio::test]
async fn the_same_content_in_a_room_is_the_same_file_and_in_another_room_it_is_not() {
    let p = Populated::start().await;
    let again = p.site.upload(&p.ann, &p.files("me"), "other.txt", b"hello").await.expect(201);
    assert_eq!((&again["data"]["id"], &again["data"]["name"]), (&json!(p.file), &json!("notes.txt")));
    let path = format!("/api/v1/agent/chats/{}/files", p.other_room);
    let elsewhere = p.site.upload(&p.rival, &path, "notes.txt", b"hello").await.expect(201);
    assert_ne!(elsewhere["data"]["id"], json!(p.file));
    let lying = p.lying();
    assert_eq!(lying.len(), 2, "the second copy of the first room is gone");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for path in lying {
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
    assert_eq!(mode(&p.site.dir().join("files")), 0o700);
}

impl Populated {
    /// What lies in the folder of the platform.
    fn lying(&self) -> Vec<std::path::PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.site.dir().join("files")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        found
    }
}

#[tokio::test]
async fn a_part_of_a_file_is_served_and_a_part_that_is_not_there_refused() {
    let p = Populated::start().await;
    let path = format!("{}/{}", p.files("agent"), p.file);
    for (range, status, bytes, content_range) in [
        ("bytes=1-3", 206, &b"ell"[..], Some("bytes 1-3/5")),
        ("bytes=3-", 206, b"lo", Some("bytes 3-4/5")),
        ("bytes=-2", 206, b"lo", Some("bytes 3-4/5")),
        ("bytes=0-99", 206, b"hello", Some("bytes 0-4/5")),
        ("bytes=x", 200, b"hello", None),
        ("bytes=0-1,3-4", 200, b"hello", None),
    ] {
        let got = p.fetches(&p.helper, &path, Some(range)).await;
        assert_eq!((got.status.as_u16(), got.bytes()), (status, bytes), "{range}");
        assert_eq!(got.header("content-range"), content_range, "{range}");
        assert_eq!(got.header("content-length"), Some(&*bytes.len().to_string()), "{range}");
    }
    let got = p.fetches(&p.helper, &path, Some("bytes=5-")).await;
    assert_eq!(got.header("content-range"), Some("bytes */5"));
    got.refused(416, "range_not_satisfiable");
}

#[tokio::test]
async fn an_upload_that_is_not_what_it_says_leaves_nothing() {
    let p = Populated::start().await;
    let before = p.lying();
    let path = p.files("agent");
    let put = |headers: &[(&str, &str)], body: &'static [u8]| {
        let request = p.site.request(Method::PUT, &path).header("x-api-key", &p.helper.key);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Answer::of(request.body(body))
    };
    let digest = "00".repeat(32);
    let other = put(&[("x-file-name", "a"), ("x-file-sha256", &digest)], b"hello").await;
    let error = other.refused(422, "validation_error");
    assert!(error["details"]["/x-file-sha256"][0].as_str().unwrap().contains("2cf24dba"), "{error}");
    put(&[("x-file-sha256", &digest)], b"x").await.invalid("/x-file-name", "Missing header: x-file-name");
    put(&[("x-file-name", "a")], b"x").await.invalid("/x-file-sha256", "Missing header: x-file-sha256");
    put(&[("x-file-name", "caf\u{e9}"), ("x-file-sha256", &digest)], b"x")
        .await
        .invalid("/x-file-name", "should be printable ASCII");
    let large = [("x-file-name", "a"), ("x-file-sha256", &*digest), ("content-length", "100000001")];
    let request = p.site.request(Method::PUT, &path).header("x-api-key", &p.helper.key);
    let request = large.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let pending = reqwest::Body::wrap_stream(futures_util::stream::pending::<std::io::Result<Vec<u8>>>());
    Answer::of(request.body(pending)).await.refused(413, "payload_too_large");
    assert_eq!(p.lying(), before);
}

#[tokio::test]
async fn files_of_others_do_not_exist() {
    let p = Populated::start().await;
    for (who, side) in [(&p.rival, "agent"), (&p.scout, "agent"), (&p.bob, "me")] {
        let path = p.files(side);
        p.site.upload(who, &path, "a", b"x").await.refused(404, "not_found");
        p.fetches(who, &format!("{path}/{}", p.file), None).await.refused(404, "not_found");
        p.site.get(who, &path).await.refused(404, "not_found");
    }
    let elsewhere = format!("/api/v1/agent/chats/{}/files/{}", p.other_room, p.file);
    p.fetches(&p.rival, &elsewhere, None).await.refused(404, "not_found");
    let of_owner = format!("/api/v1/me/chats/{}/files/{}", p.room, p.file);
    assert_eq!(p.fetches(&p.ann, &of_owner, None).await.bytes(), b"hello");
}

#[tokio::test]
async fn a_message_carries_its_files_to_everyone_who_reads_it() {
    let p = Populated::start().await;
    let mut ann = Phoenix::open(&p.site, &p.ann).await;
    ann.join(&format!("chat_room:{}", p.room)).await;
    let picture = p.site.upload(&p.ann, &p.files("me"), "p.png", PNG).await.expect(201)["data"].clone();
    let say = |ids: Value| json!({"message": {"content": "see", "mentions": [{"id": p.helper.id}], "attachment_ids": ids}});
    let path = format!("/api/v1/me/chats/{}/messages", p.room);
    let sent =
        p.site.post(&p.ann, &path, say(json!([picture["id"], p.file, picture["id"]]))).await.expect(201);
    let push = ann.event("message_created").await;
    let names = |files: &Value| -> Vec<String> {
        files.as_array().unwrap().iter().map(|file| text_of(&file["name"])).collect()
    };
    assert_eq!(names(&push[4]["attachments"]), ["p.png", "notes.txt"]);
    let context = format!("/api/v1/agent/chats/{}/context?sort_order=desc&limit=1", p.room);
    let seen = p.site.get(&p.helper, &context).await.expect(200)["data"][0].clone();
    assert_eq!(
        (&seen["id"], names(&seen["attachments"])),
        (&sent["data"]["id"], vec!["p.png".to_owned(), "notes.txt".to_owned()])
    );
    assert_eq!(seen["attachments"][0], picture);
    let mark = format!("/api/v1/agent/chats/{}/messages/{}/processing", p.room, text_of(&sent["data"]["id"]));
    p.site.post(&p.helper, &mark, json!({})).await.expect(200);
    let push = ann.event("message_updated").await;
    assert_eq!(names(&push[4]["attachments"]), ["p.png", "notes.txt"], "a mark does not take them away");

    let nobody = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";
    let elsewhere = format!("/api/v1/agent/chats/{}/files", p.other_room);
    let foreign = p.site.upload(&p.rival, &elsewhere, "x", b"secret").await.expect(201);
    for id in [json!(nobody), foreign["data"]["id"].clone()] {
        let refused = p.site.post(&p.ann, &path, say(json!([id]))).await.refused(422, "unknown_attachment");
        assert!(refused["details"]["/message/attachment_ids/0"].is_array(), "{refused}");
    }
}

#[tokio::test]
async fn agents_know_of_files_through_what_they_may_read() {
    let p = Populated::start().await;
    p.site.add(&p.ann, &p.room, &p.scout).await.expect(201);
    let names = async |who: &Party, side: &str| -> Vec<String> {
        let list = p.site.get(who, &p.files(side)).await.expect(200);
        list["data"].as_array().unwrap().iter().map(|file| text_of(&file["name"])).collect()
    };
    p.site.upload(&p.ann, &p.files("me"), "second.txt", b"two").await.expect(201);
    assert_eq!(names(&p.ann, "me").await, ["second.txt", "notes.txt"]);
    assert_eq!(names(&p.helper, "agent").await, ["notes.txt"], "its own");
    assert_eq!(names(&p.scout, "agent").await, [""; 0]);
    let say = json!({"message": {
        "content": "see", "mentions": [{"id": p.scout.id}], "attachment_ids": [p.file],
    }});
    p.site.post(&p.ann, &format!("/api/v1/me/chats/{}/messages", p.room), say).await.expect(201);
    assert_eq!(names(&p.scout, "agent").await, ["notes.txt"]);
    let page = p.site.get(&p.ann, &format!("{}?limit=1", p.files("me"))).await.expect(200);
    let cursor = text_of(&page["metadata"]["next_cursor"]);
    let rest = p.site.get(&p.ann, &format!("{}?limit=1&cursor={cursor}", p.files("me"))).await.expect(200);
    assert_eq!(rest["data"][0]["name"], "notes.txt");
}

#[tokio::test]
async fn files_outlive_a_restart_and_what_nobody_finished_does_not() {
    let p = Populated::start().await;
    let folder = p.site.dir().join("files");
    let stray = folder.join("0a");
    std::fs::create_dir_all(&stray).unwrap();
    let stray = stray.join("0190a8d45f3e7c2a9b1d2f3e4a5b6c0a");
    std::fs::write(&stray, "left by a process that was killed").unwrap();
    std::fs::write(folder.join("drafts").join("d"), "half").unwrap();
    let path = format!("{}/{}", p.files("agent"), p.file);
    let Populated { site, helper, .. } = p;
    let site = site.restart().await;
    let request = site.request(Method::GET, &path).header("x-api-key", &helper.key);
    assert_eq!(Answer::of(request).await.bytes(), b"hello");
    while stray.exists() {
        tokio::task::yield_now().await;
    }
    assert!(!folder.join("drafts").join("d").exists());
}
