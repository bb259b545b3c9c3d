//! Deleting many rooms or agents at once. All items are tried in one command, so a job is complete when it is
//! answered; clients that look again find the same.

use band_wire::rest::{
    BulkDeletion, DeletedResource, DeletionError, DeletionErrorCode, DeletionItem, DeletionItemStatus,
    DeletionStatus, code,
};
use band_wire::{DeletionId, Stamp, UserId};

use super::Refusal;

/// A job as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionRow {
    /// The job.
    pub id: DeletionId,
    /// Who asked for it.
    pub user: UserId,
    /// What it deletes.
    pub resource: DeletedResource,
    /// Whether agents that have been in rooms are deleted too.
    pub force: bool,
    /// One for each item, in the order of the request.
    pub results: Vec<DeletionItem>,
    /// When.
    pub at: Stamp,
}

/// What became of one item.
pub fn item<T>(id: String, outcome: Result<T, Refusal>) -> DeletionItem {
    let Err(refusal) = outcome else {
        return DeletionItem { id, status: DeletionItemStatus::Succeeded.into(), error: None };
    };
    let reason = match (refusal.status, refusal.code) {
        (404, _) => DeletionErrorCode::NotFound,
        (403, _) => DeletionErrorCode::Forbidden,
        (422, code::VALIDATION_ERROR) => DeletionErrorCode::ExecutionHistoryExists,
        _ => DeletionErrorCode::DeleteFailed,
    };
    let error = DeletionError { code: reason.into(), message: refusal.message.into_owned() };
    DeletionItem { id, status: DeletionItemStatus::Failed.into(), error: Some(error) }
}

/// A job as the API shows it.
pub fn view(row: DeletionRow) -> BulkDeletion {
    let total = row.results.len() as u64;
    let failed = row.results.iter().filter(|item| item.error.is_some()).count() as u64;
    BulkDeletion {
        id: row.id,
        resource_type: row.resource.into(),
        status: DeletionStatus::Completed.into(),
        force: row.force,
        total,
        processed: total,
        succeeded: total - failed,
        failed,
        results: row.results,
        inserted_at: row.at,
        started_at: Some(row.at),
        completed_at: Some(row.at),
    }
}

#[cfg(test)]
mod tests {
    use band_wire::rest::Issues;
    use uuid::Uuid;

    use super::*;
    use crate::platform::test_site::{at, user_id};

    #[test]
    fn each_refusal_has_its_code_and_the_job_counts() {
        let refusals = [
            Refusal::not_found(),
            Refusal::forbidden("no"),
            Refusal::invalid(Issues::one("/force", "has history")),
        ];
        let mut results: Vec<DeletionItem> =
            refusals.into_iter().map(|refusal| item::<()>("x".to_owned(), Err(refusal))).collect();
        results.push(item("y".to_owned(), Ok(())));
        let codes: Vec<&str> =
            results.iter().filter_map(|item| Some(item.error.as_ref()?.code.as_str())).collect();
        assert_eq!(codes, ["not_found", "forbidden", "execution_history_exists"]);
        let job = view(DeletionRow {
            id: DeletionId::new(Uuid::nil()),
            user: user_id(1),
            resource: DeletedResource::Agent,
            force: false,
            results,
            at: at(1),
        });
        assert_eq!((job.total, job.processed, job.succeeded, job.failed), (4, 4, 1, 3));
        assert_eq!(job.status, DeletionStatus::Completed);
    }
}
