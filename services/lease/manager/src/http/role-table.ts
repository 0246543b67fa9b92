import type { Role } from "../domain/role.ts";

/**
 * Who may use each route: the one truth about it. A route that is not here does not exist: the server does not start
 * with one. `anyone` is without a session.
 */
export const ROLE_TABLE: Readonly<Record<string, Role | "anyone">> = {
  "POST /api/v1/auth/login": "anyone",
  "POST /api/v1/auth/logout": "anyone",
  "GET /api/v1/auth/me": "anyone",
  "GET /api/v1/auth/session": "anyone",
  "GET /api/v1/healthz": "anyone",
  "PUT /api/v1/auth/password": "viewer",

  "GET /api/v1/leases": "viewer",
  "GET /api/v1/leases/:ip": "viewer",
  "DELETE /api/v1/leases/:ip": "operator",
  "DELETE /api/v1/leases": "operator",
  "GET /api/v1/releasable-leases": "operator",
  "PATCH /api/v1/leases/:ip": "operator",
  "POST /api/v1/leases/:ip/reserve": "operator",
  "POST /api/v1/leases/:ip/force-renew": "operator",
  "GET /api/v1/address-map": "viewer",
  "GET /api/v1/devices/:id": "viewer",
  "GET /api/v1/rollout": "viewer",
  "POST /api/v1/rollout": "operator",
  "DELETE /api/v1/rollout": "operator",
  "GET /api/v1/lease-events": "viewer",
  "GET /api/v1/lease-events.csv": "viewer",
  "GET /api/v1/holder": "viewer",
  "POST /api/v1/explain": "viewer",

  "GET /api/v1/reservations": "viewer",
  "POST /api/v1/reservations": "operator",
  "POST /api/v1/reservations/preview": "operator",
  "POST /api/v1/reservations/import": "operator",
  "PUT /api/v1/reservations/:ip": "operator",
  "DELETE /api/v1/reservations/:ip": "operator",

  "GET /api/v1/config": "admin",
  "PUT /api/v1/config": "admin",
  "GET /api/v1/config/full": "viewer",
  "PUT /api/v1/config/full": "admin",
  "POST /api/v1/config/check": "admin",
  "POST /api/v1/config/diff": "admin",
  "POST /api/v1/config/replay": "admin",
  "POST /api/v1/config/confirm": "admin",
  "POST /api/v1/config/take-back": "admin",
  "GET /api/v1/config/history": "admin",
  "GET /api/v1/config/history/:id": "admin",
  "POST /api/v1/config/rollback": "admin",

  "GET /api/v1/dashboard": "viewer",
  "GET /api/v1/stream": "viewer",
  "GET /api/v1/logs": "viewer",
  "GET /api/v1/engine/status": "viewer",
  "POST /api/v1/engine/start": "admin",
  "POST /api/v1/engine/stop": "admin",
  "POST /api/v1/engine/restart": "admin",

  "GET /api/v1/ha/status": "viewer",
  "POST /api/v1/ha/partner-down": "admin",
  "POST /api/v1/ha/maintenance": "admin",
  "POST /api/v1/ha/resume": "admin",

  "GET /api/v1/ddns/differences": "admin",
  "POST /api/v1/ddns/reconcile": "admin",

  "GET /api/v1/system/network": "admin",
  "PUT /api/v1/system/network": "admin",
  "POST /api/v1/system/network/preview": "admin",
  "POST /api/v1/system/network/confirm": "admin",
  "POST /api/v1/system/network/take-back": "admin",
  "POST /api/v1/system/factory-reset": "admin",

  "GET /api/v1/users": "admin",
  "POST /api/v1/users": "admin",
  "PATCH /api/v1/users/:username": "admin",
  "DELETE /api/v1/users/:username": "admin",
  "GET /api/v1/tokens": "admin",
  "POST /api/v1/tokens": "admin",
  "DELETE /api/v1/tokens/:id": "admin",
  "GET /api/v1/audit": "admin",
};
