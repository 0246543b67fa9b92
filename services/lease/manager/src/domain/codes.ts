import { DomainError } from "@frontdesk/kit/domain-error";

/** Every refusal of the manager's own, and the sentence for a person. */
export const CODES = {
  sign_in_failed: "The user name or the password is wrong.",
  too_many_attempts: "Too many attempts. Wait a little, then try again.",
  unauthorized: "Sign in first.",
  forbidden: "Your role does not allow this.",
  cross_origin: "Requests that change something must come from the console's own pages.",
  wrong_host: "The request names a host that is not this one: LEASE_HOSTS lists those that are.",
  user_not_found: "There is no such user.",
  user_exists: "There is a user of that name already.",
  bad_username: "A user name has at most 64 letters and digits, with . _ @ - between them.",
  last_admin: "This is the last administrator: make another one first.",
  weak_password: "A password has at least 10 characters.",
  token_not_found: "There is no such token.",
  token_expired_already: "The token would have ended already.",
  token_ends_too_late: "A token ends in the year 9999 at the latest; null is no end.",
  too_many_tokens: "There are as many tokens as there may be: revoke some first.",
  engine_away: "The engine does not answer. Its page under System says why.",
  engine_unanswered:
    "The engine went away before it answered: what you asked for may have been done, or not. Look before you try it again.",
  engine_busy: "The engine is being started or stopped.",
  reservation_not_found: "There is no reservation for that address.",
  reservation_changed: "Somebody else has changed this reservation meanwhile: look at it, then try again.",
  reservation_exists: "That address is reserved already.",
  identifier_taken: "That device has a reservation in the same subnet already.",
  no_subnet: "No subnet has that address.",
  config_unwritable: "The configuration file may not be written by the user that lease runs as.",
  config_busy: "Others are changing the configuration at this moment: try again.",
  config_not_undone:
    "The configuration was changed, but could not be kept in its history, and taking it back failed too: read it again before you go on.",
  config_trial_open: "A configuration is being tried out: wait until it is confirmed or taken back.",
  bad_value: "A value of the configuration is missing or is of a kind that TOML does not know.",
  version_not_found: "That version of the configuration is not kept.",
  filter_needed: "Say which leases to release: there is no way to release all of them at once.",
  count_differs: "The filter shows another number of leases by now: look again, then release.",
  nothing_to_reserve_by: "The device is known by nothing that a reservation could name.",
  if_match_needed: "Say with If-Match which version of the configuration you have seen.",
  bad_rows: "The rows have mistakes: nothing was changed.",
  rollout_running: "Clients are being told to renew already: wait until that is done, or stop it.",
  no_rollout: "No clients are being told to renew.",
  bad_device: "A device is named by a hardware address or a client identifier, in hex.",
  device_not_found: "No device of that identity is known.",
  confirmation_needed: "This is hard to take back. To go on, type:",
  no_interface: "This machine has no such interface.",
  bad_network:
    "An address is written with the length of its network, 192.0.2.10/24; a gateway lies in that network; at most three name servers.",
  network_unmanaged:
    "Neither systemd-networkd nor NetworkManager nor ifupdown has this interface: set its address where it is set now.",
  network_not_root: "Only where root started lease can the address of the machine be changed.",
  network_trial_open: "Another change of the network is being tried out: confirm it or take it back first.",
  network_trial_elsewhere:
    "Another lease manager of this machine tries out a change of its network: confirm it or take it back there first.",
  no_network_trial: "No change of the network is being tried out.",
  network_no_ip:
    "The network of this machine cannot be shown: the program ip is missing, which Debian has in iproute2.",
  network_unreadable: "The network of this machine cannot be read.",
  network_trial_other:
    "Another change of the network is being tried out by now: look at it, then keep it or take it back.",
  network_failed: "The change did not succeed.",
  network_ending: "The change is being taken back and cannot be kept any more: try it out anew after that.",
  too_deep: "The body has more levels than anything that is taken here.",
  bad_encoding: "The text is not UTF-8: save it as UTF-8, then send it again.",
  bad_csv: "That is no CSV: a quote is not closed.",
  bad_columns:
    "The first line names the columns, each once: ip, and any of mac, client_id, duid, circuit_id, interface_id, remote_id, hostname, note, enabled.",
  too_many_rows: "The file has more than 10,000 rows.",
  preview_outdated: "The configuration has changed since the preview: look at it again.",
} as const;
export type Code = keyof typeof CODES;

export const refuse = (code: Code, retryAfterSeconds?: number): never => {
  throw new DomainError(code, CODES[code], retryAfterSeconds);
};
