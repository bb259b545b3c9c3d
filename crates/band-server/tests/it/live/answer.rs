//! What came back, and what every answer must be.

use http::{HeaderMap, StatusCode};
use serde_json::Value;

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        Self { status, headers, body: response.bytes().await.unwrap().to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.body
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The body of a success.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn expect_empty(&self, status: u16) {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.text(), "");
    }

    /// The `error` of a refusal. Checks that it is the one error shape.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        let error = &body["error"];
        assert_eq!(error["code"], code, "{body}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        assert_eq!(error["request_id"].as_str(), self.header("x-request-id"), "{body}");
        assert_eq!(body.as_object().unwrap().len(), 1, "{body}");
        error.clone()
    }

    /// A 422 of the general kind with this text under this pointer.
    #[track_caller]
    pub(crate) fn invalid(self, pointer: &str, text: &str) {
        let error = self.refused(422, "validation_error");
        let texts = error["details"][pointer].as_array().unwrap_or_else(|| panic!("no {pointer} in {error}"));
        assert!(texts.iter().any(|found| found == text), "{error}");
    }

    /// The secret of the session cookie that was set.
    pub(crate) fn cookie(&self) -> Option<String> {
        let set = self.header("set-cookie")?;
        let (name, rest) = set.split_once('=')?;
        assert_eq!(name, "band_session");
        rest.split(';').next().map(str::to_owned)
    }
}
