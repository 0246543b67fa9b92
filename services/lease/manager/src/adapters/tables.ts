import type { Generated } from "kysely";
import type { Role } from "../domain/role.ts";

export interface Tables {
  lease_users: {
    id: string;
    username: string;
    role: Role;
    password_hash: string;
    created_at: number;
    last_sign_in_at: number | null;
  };
  lease_sessions: { id: string; user_id: string; created_at: number; seen_at: number };
  lease_tokens: {
    id: string;
    name: string;
    role: Role;
    hash: string;
    created_by: string;
    root_user_id: string;
    made_with: string | null;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
  lease_audit: {
    id: Generated<number>;
    at: number;
    actor: string;
    action: string;
    subject: string | null;
    details: string | null;
  };
  lease_config_versions: {
    id: Generated<number>;
    version: string;
    at: number;
    actor: string;
    text: string;
  };
  lease_rollout: { id: number; started_at: number; started_by: string; filter: string; pace: string };
}
