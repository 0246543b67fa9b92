import { DatabaseSync } from "node:sqlite";
import { StartProblem } from "@frontdesk/kit/problem";

/** Forward only: each entry brings the database from its number to the next. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE lease (
    ip INTEGER PRIMARY KEY,
    state INTEGER NOT NULL,
    htype INTEGER NOT NULL,
    mac BLOB NOT NULL,
    client_id BLOB,
    hostname TEXT,
    fqdn TEXT,
    vendor TEXT,
    classes TEXT,
    starts INTEGER NOT NULL,
    until INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    giaddr INTEGER NOT NULL,
    circuit_id BLOB,
    remote_id BLOB,
    nonce BLOB
  ) STRICT;
  CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    type INTEGER NOT NULL,
    ip INTEGER NOT NULL,
    mac BLOB NOT NULL,
    client_id BLOB,
    hostname TEXT,
    giaddr INTEGER NOT NULL,
    circuit_id BLOB,
    remote_id BLOB,
    until INTEGER NOT NULL,
    detail TEXT
  ) STRICT;
  CREATE TABLE event_chunk (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE event_index (
    chunk INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (chunk, kind, slot)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE lease ADD COLUMN interface TEXT;
  ALTER TABLE lease ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lease ADD COLUMN renewals INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lease ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE event RENAME COLUMN detail TO reason;
  ALTER TABLE event ADD COLUMN renewals INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE event ADD COLUMN config TEXT NOT NULL DEFAULT '';
  CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), offset INTEGER NOT NULL) STRICT;
  INSERT INTO clock VALUES (1, 0);
  `,
  `
  ALTER TABLE clock ADD COLUMN boot_id TEXT;
  ALTER TABLE clock ADD COLUMN boot_time INTEGER NOT NULL DEFAULT 0;
  `,
  "ALTER TABLE lease ADD COLUMN relay_agent BLOB;",
  `
  ALTER TABLE lease ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE lease_seq (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
  INSERT INTO lease_seq VALUES (1, 0);
  `,
  `
  CREATE TABLE device (
    mac BLOB PRIMARY KEY,
    note TEXT,
    dns_name TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  "CREATE TABLE event_day (day INTEGER PRIMARY KEY, first INTEGER NOT NULL) STRICT;",
  "CREATE TABLE room (id INTEGER PRIMARY KEY CHECK (id = 1), octets BLOB NOT NULL) STRICT;",
  `
  CREATE TABLE lease6 (
    address BLOB PRIMARY KEY,
    length INTEGER NOT NULL,
    state INTEGER NOT NULL,
    duid BLOB NOT NULL,
    iaid INTEGER NOT NULL,
    mac BLOB NOT NULL,
    hostname TEXT,
    vendor TEXT,
    classes TEXT,
    starts INTEGER NOT NULL,
    until INTEGER NOT NULL,
    preferred INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    interface TEXT,
    link BLOB,
    peer BLOB,
    interface_id BLOB,
    remote_id BLOB,
    relays BLOB,
    reconfigure_key BLOB,
    told INTEGER NOT NULL,
    renewals INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE server6 (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    duid BLOB NOT NULL,
    secret BLOB NOT NULL
  ) STRICT;
  ALTER TABLE event ADD COLUMN ip6 BLOB;
  ALTER TABLE event ADD COLUMN length INTEGER;
  ALTER TABLE event ADD COLUMN duid BLOB;
  ALTER TABLE event ADD COLUMN iaid INTEGER;
  ALTER TABLE event ADD COLUMN link BLOB;
  `,
  `
  CREATE TABLE dns_name (
    address TEXT PRIMARY KEY,
    wanted TEXT,
    wanted_dhcid BLOB,
    said TEXT,
    kept TEXT,
    kept_dhcid BLOB,
    state TEXT NOT NULL,
    error TEXT,
    tries INTEGER NOT NULL,
    due INTEGER NOT NULL,
    seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dns_name_due ON dns_name (seq) WHERE state = 'pending';
  `,
  // Owners and places of rows from before come with the first reconcile run.
  `
  DROP INDEX dns_name_due;
  ALTER TABLE dns_name RENAME TO dns_name_before;
  CREATE TABLE dns_name (
    address TEXT NOT NULL,
    side TEXT NOT NULL,
    wanted TEXT,
    owner BLOB,
    said TEXT,
    holder BLOB,
    device BLOB,
    since INTEGER NOT NULL DEFAULT 0,
    kept TEXT,
    kept_for TEXT,
    kept_dhcid BLOB,
    kept_at TEXT,
    state TEXT NOT NULL,
    error TEXT,
    server TEXT,
    zone TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    seq INTEGER NOT NULL,
    PRIMARY KEY (address, side)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO dns_name (address, side, wanted, said, kept, kept_for, kept_dhcid, state, seq)
    SELECT address, 'forward', wanted, said, kept, wanted, kept_dhcid, 'kept', 2 * seq FROM dns_name_before;
  INSERT INTO dns_name (address, side, wanted, kept, kept_for, state, seq)
    SELECT address, 'reverse', kept, kept, kept, 'kept', 2 * seq + 1 FROM dns_name_before WHERE kept IS NOT NULL;
  DROP TABLE dns_name_before;
  CREATE INDEX dns_name_due ON dns_name (server, tries, seq) WHERE state = 'pending';
  CREATE INDEX dns_name_conflict ON dns_name (wanted) WHERE state = 'conflict';
  CREATE INDEX dns_name_holder ON dns_name (holder) WHERE holder IS NOT NULL;
  CREATE INDEX dns_name_device ON dns_name (device) WHERE device IS NOT NULL;
  CREATE INDEX dns_name_leaving ON dns_name (kept) WHERE side = 'forward' AND wanted IS NULL;
  `,
  // What one of a pair of servers keeps; NULL and empty without a peer.
  `
  ALTER TABLE lease ADD COLUMN pair_server INTEGER;
  ALTER TABLE lease ADD COLUMN pair_client TEXT;
  ALTER TABLE lease ADD COLUMN pair_promise INTEGER;
  ALTER TABLE lease ADD COLUMN pair_known INTEGER;
  ALTER TABLE lease ADD COLUMN pair_seq INTEGER;
  ALTER TABLE lease ADD COLUMN pair_base INTEGER;
  ALTER TABLE lease6 ADD COLUMN pair_server INTEGER;
  ALTER TABLE lease6 ADD COLUMN pair_client TEXT;
  ALTER TABLE lease6 ADD COLUMN pair_promise INTEGER;
  ALTER TABLE lease6 ADD COLUMN pair_known INTEGER;
  ALTER TABLE lease6 ADD COLUMN pair_seq INTEGER;
  ALTER TABLE lease6 ADD COLUMN pair_base INTEGER;
  CREATE TABLE ha_node (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    store TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    agreed INTEGER NOT NULL,
    holder TEXT NOT NULL,
    state TEXT NOT NULL,
    since REAL NOT NULL,
    last_seq INTEGER NOT NULL,
    handed_over INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE ha_peer (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    store TEXT,
    contact_at REAL,
    sent_seq INTEGER,
    acked_seq INTEGER NOT NULL,
    applied_seq INTEGER NOT NULL,
    era_seq INTEGER,
    takeover_at REAL,
    clean INTEGER NOT NULL,
    lost_at REAL,
    lost_until REAL,
    lead_told REAL NOT NULL,
    lead_awaited REAL NOT NULL,
    usable_from REAL NOT NULL
  ) STRICT;
  CREATE TABLE ha_range (
    family INTEGER NOT NULL,
    first BLOB NOT NULL,
    last BLOB NOT NULL,
    owner TEXT NOT NULL,
    usable_from REAL NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (family, first)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ha_plan (
    hash TEXT PRIMARY KEY,
    is_agreed INTEGER NOT NULL,
    plan TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  "ALTER TABLE ha_peer ADD COLUMN server_ids TEXT NOT NULL DEFAULT '';",
  "ALTER TABLE device ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;",
  `
  CREATE TABLE cleared AS SELECT * FROM lease WHERE 0;
  CREATE UNIQUE INDEX cleared_ip ON cleared (ip);
  CREATE TABLE cleared6 AS SELECT * FROM lease6 WHERE 0;
  CREATE UNIQUE INDEX cleared6_address ON cleared6 (address);
  `,
  `
  ALTER TABLE ha_peer ADD COLUMN behind REAL NOT NULL DEFAULT 0;
  ALTER TABLE ha_peer ADD COLUMN lost_behind REAL NOT NULL DEFAULT 0;
  `,
  "ALTER TABLE clock ADD COLUMN replay_ahead INTEGER NOT NULL DEFAULT 0;",
  "ALTER TABLE dns_name ADD COLUMN peer_owner BLOB;",
  `
  CREATE TABLE dns_moved (address TEXT PRIMARY KEY, holder BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX dns_moved_holder ON dns_moved (holder);
  `,
  `
  DROP INDEX dns_name_device;
  CREATE INDEX dns_name_device ON dns_name (device, instr(address, ':') > 0, seq) WHERE device IS NOT NULL;
  `,
  `
  DROP INDEX dns_name_conflict;
  CREATE INDEX dns_name_conflict ON dns_name (wanted, seq) WHERE state = 'conflict';
  `,
  `
  ALTER TABLE lease6 ADD COLUMN earlier_length INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lease6 ADD COLUMN earlier_until INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE cleared6 ADD COLUMN earlier_length INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE cleared6 ADD COLUMN earlier_until INTEGER NOT NULL DEFAULT 0;
  `,
  // All names are to be brought again, and that is not done.
  "CREATE TABLE dns_confirm (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;",
  "CREATE INDEX dns_name_due_in_zone ON dns_name (server, zone, tries, seq) WHERE state = 'pending';",
  "CREATE INDEX lease6_mac ON lease6 (mac) WHERE mac <> x'';",
  // A takeover from before that was kept may have been cut short.
  "INSERT OR IGNORE INTO dns_confirm SELECT 1 FROM ha_node WHERE state = 'partner_down';",
];

export const BUSY_MS = 5000;

/**
 * Opens the database for writing. A commit returns when its pages are on disk: WAL with
 * synchronous=FULL syncs the log at every commit.
 */
export function openForWriting(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;");
  database.exec("PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;");
  database.exec("BEGIN IMMEDIATE");
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version > MIGRATIONS.length) {
    database.exec("ROLLBACK");
    database.close();
    throw new StartProblem(`${path} was written by a newer version of Frontdesk: start that one.`);
  }
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
  return database;
}

export function openForReading(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
}
