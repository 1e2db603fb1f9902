//! Conformance tests for store engines. An engine provides an empty database and any number of connections to it;
//! `conformance!` runs every test against that engine.

use bugle_store::Store;

/// A database for one test.
pub(crate) trait Engine: Sync {
    /// Whether tests can run on this engine here.
    fn is_available() -> bool {
        true
    }
    /// Creates an empty database.
    fn fresh() -> Self;
    /// Opens another connection.
    fn open(&self) -> Store;
}

/// Defines a module `$name` that runs every conformance test on the engine.
macro_rules! conformance {
    ($name:ident, $engine:ty) => {
        #[cfg(test)]
        mod $name {
            $crate::conformance::conformance!(@runs $engine:
                a_run_round_trips a_run_id_is_unique a_run_requires_an_existing_project
                events_are_appended_only_at_the_expected_version an_append_to_an_unknown_run_is_a_conflict
                the_row_matches_the_events runs_are_found_by_id_prefix
                runs_are_found_by_project_and_session a_run_changes_sessions_only_if_its_owner_matches a_filter_selects_open_runs
                runs_are_listed_by_latest_change blobs_are_stored_once compiled_skills_are_stored_per_compiler
                trust_applies_to_exact_bytes a_location_has_one_project a_new_store_passes_the_integrity_check
            );
            $crate::conformance::conformance!(@concurrency $engine:
                one_of_many_concurrent_appends_wins many_writers_lose_nothing concurrent_writers_create_one_project_per_location
                concurrent_claims_appends_and_messages_are_each_done_once
            );
            $crate::conformance::conformance!(@tasks $engine:
                the_events_of_a_task_round_trip a_taken_task_id_writes_nothing
                a_snapshot_lasts_until_its_end_or_a_write
                changing_an_unknown_task_writes_nothing siblings_swap_in_one_change
                a_task_can_move_twice_and_right_after_it_was_added
                descendants_inherit_blockers_after_every_move trees_of_two_projects_are_separate
                an_inner_failure_rolls_back_the_whole_transaction each_task_is_claimed_once
                tasks_are_found_by_id_prefix
                a_removed_task_is_kept_but_not_listed
            );
            $crate::conformance::conformance!(@multi_row $engine: ten_thousand_tasks_are_written_with_a_few_statements);
            $crate::conformance::conformance!(@plans $engine:
                plans_are_found_by_project_and_file the_focus_is_per_session_and_defaults_to_the_latest
                a_tree_stays_pinned_to_its_first_version_of_a_skill
            );
            $crate::conformance::conformance!(@messages $engine:
                messages_are_listed_in_posting_order a_limit_selects_the_last_messages
                branches_with_messages_are_listed
                a_message_is_read_by_each_receiver_separately a_taken_message_id_writes_nothing
                mailboxes_of_two_projects_are_separate a_failed_transaction_leaves_messages_unread
                concurrent_readers_get_each_message_once
                agents_that_sent_or_read_a_message_are_correspondents
            );
            $crate::conformance::conformance!(@wakeups $engine: wakeups_round_trip);
            $crate::conformance::conformance!(@search $engine:
                a_message_search_reports_its_bound a_run_search_reports_its_bound
            );
            $crate::conformance::conformance!(@agents $engine:
                an_agent_round_trips agent_names_and_sessions_are_unique
                agents_are_listed_by_branch_and_name an_agent_moves_to_the_session_that_follows_a_cleared_one
                agents_with_waking_mail_are_found forwarded_mail_arrives_once_and_in_order
                a_question_is_open_until_it_is_answered spending_is_summed_by_run
                a_key_is_recorded_once a_pair_is_the_same_in_either_order
            );
            $crate::conformance::conformance!(@projects $engine:
                a_project_moves_once_with_its_folders a_merge_joins_mailboxes_with_the_same_address
                a_failed_merge_changes_nothing
            );
            $crate::conformance::conformance!(@machines $engine:
                machines_share_a_project_but_not_sessions_and_places
                concurrent_machines_create_one_project_per_remote
                a_lease_belongs_to_one_host
            );
            $crate::conformance::conformance!(@sessions $engine:
                hooks_that_run_at_the_same_time_keep_each_others_changes
                a_session_that_is_kept_twice_has_its_last_state
            );
            $crate::conformance::conformance!(@deliveries $engine:
                a_delivery_round_trips only_unfinished_deliveries_are_open
                an_agent_with_a_process_a_waking_message_or_an_open_delivery_is_supervised
                messages_of_a_failed_delivery_are_unread_again a_commit_by_another_connection_changes_the_data_version
            );
        }
    };
    (@$module:ident $engine:ty: $($test:ident)*) => {
        $(#[test] fn $test() {
            if <$engine as $crate::conformance::Engine>::is_available() {
                $crate::$module::$test::<$engine>();
            }
        })*
    };
}
pub(crate) use conformance;
