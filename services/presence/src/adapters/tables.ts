/** The tables as Kysely sees them. Flags are 0 or 1, times are milliseconds, lists and maps are JSON. */
export interface Tables {
  orgs: {
    id: string;
    slug: string;
    name: string;
    sequence: number;
    purged_through: number;
    vocabulary: string;
    /** Another one whenever the vocabulary is another. */
    vocabulary_id: string;
    created_at: number;
    time_zone: string;
    closing_minute: number | null;
    next_closing_at: number | null;
    closed_at: number | null;
    /** Another one whenever something has changed of which no event tells. */
    revision: string;
    /** The one before it. */
    revision_before: string;
    /** What has changed between the two: the id of a member, `nothing` that is shown, or null for anything. */
    revised: string | null;
  };
  members: {
    id: string;
    org_id: string;
    email: string;
    name: string;
    role: string;
    joined_at: number;
    refs: string;
    status_key: string | null;
    status_expires_at: number | null;
    status_set_at: number | null;
    status_source: string;
    status_note: string | null;
    status_by: string | null;
    status_plan: string | null;
    own_key: string | null;
    own_note: string | null;
    own_expires_at: number | null;
    own_set_at: number | null;
    own_plan: string | null;
    /** A list, as JSON. */
    passing: string | null;
    group_name: string | null;
    time_zone: string | null;
  };
  member_settings: {
    member_id: string;
    follows: string;
    undo: string | null;
    calendar_hash: string | null;
    calendar_created_at: number | null;
  };
  planned_statuses: {
    id: string;
    org_id: string;
    member_id: string;
    status_key: string;
    note: string | null;
    starts_at: number | null;
    ends_at: number | null;
    weekday: number | null;
    start_minute: number | null;
    end_minute: number | null;
    next_at: number | null;
    created_at: number;
  };
  invitations: {
    id: string;
    org_id: string;
    email: string;
    role: string;
    group_name: string | null;
    invited_by: string | null;
    created_at: number;
    expires_at: number;
  };
  /** Hashes of the secrets of first-run links that are out. */
  first_runs: { hash: string; created_at: number };
  integrations: { id: string; org_id: string; name: string; created_at: number };
  member_refs: { integration_id: string; external_ref: string; member_id: string };
  tokens: {
    id: string;
    org_id: string;
    integration_id: string;
    name: string;
    hash: string;
    scopes: string;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
    /** When the admins were told that it expires soon. */
    expiry_mailed_at: number | null;
  };
  projects: {
    id: string;
    org_id: string;
    name: string;
    archived: number;
    created_at: number;
    updated_at: number;
  };
  todos: {
    id: string;
    org_id: string;
    member_id: string;
    project_id: string | null;
    text: string;
    done_at: number | null;
    archived: number;
    position: number;
    integration_id: string | null;
    external_system: string | null;
    external_ref: string | null;
    external_url: string | null;
    source: string;
    version: number;
    created_at: number;
    updated_at: number;
  };
  events: {
    org_id: string;
    sequence: number;
    id: string;
    type: string;
    occurred_at: number;
    data: string;
    /** Null in events from before it was kept. */
    source: string | null;
    actor: string | null;
  };
  audit_log: {
    org_id: string;
    id: string;
    at: number;
    actor: string;
    action: string;
    subject: string | null;
    detail: string;
  };
  /** Who the audit log tells of and is no member any more. */
  former_members: {
    id: string;
    org_id: string;
    name: string;
    left_at: number;
  };
  share_links: {
    id: string;
    org_id: string;
    kind: string;
    project_id: string | null;
    token_hash: string;
    created_at: number;
    revoked_at: number | null;
    name: string;
    creator: string | null;
    expires_at: number | null;
    accessed_at: number | null;
  };
  webhooks: {
    id: string;
    org_id: string;
    url: string;
    events: string;
    secret: string;
    previous_secret: string | null;
    previous_until: number | null;
    state: string;
    disabled_reason: string | null;
    failing_since: number | null;
    cursor: number;
    /** The last event that matched, for the next delivery's `prevSequence`. */
    last_matched: number | null;
    /** When something was sent to it last. */
    last_attempt_at: number | null;
    /** Null when nobody holds the lane. */
    lease: string | null;
    lease_until: number;
    created_at: number;
  };
  deliveries: {
    id: string;
    webhook_id: string;
    org_id: string;
    sequence: number;
    event_id: string;
    event_type: string;
    prev_sequence: number | null;
    state: string;
    /** How far along the retry schedule it is. */
    step: number;
    attempts: number;
    next_attempt_at: number | null;
    created_at: number;
    updated_at: number;
  };
  attempts: {
    delivery_id: string;
    number: number;
    at: number;
    duration_ms: number;
    status: number | null;
    error: string | null;
    response: string | null;
    /** The address that was called. Null in attempts from before it was kept. */
    url: string | null;
  };
  rate_windows: { token_id: string; hits: string };
  mails: {
    id: string;
    recipients: string;
    subject: string;
    body: string;
    created_at: number;
    lease_until: number;
    /** Which invitation it tells of: it goes with that. */
    invitation_id: string | null;
  };
}
