/** The journal's tables, version by version. */
export const JOURNAL_VERSIONS = [
  `create table jobs (
     n integer primary key autoincrement,
     id text not null unique,
     origin text not null,
     key text,
     final integer not null,
     body text not null
   );
   create unique index jobs_key on jobs (origin, key) where key is not null;
   create index jobs_unfinished on jobs (n) where final = 0;
   create table payloads (job text primary key, data blob not null) without rowid;
   create table events (
     seq integer primary key autoincrement,
     event text not null,
     origin text,
     printer text not null,
     body text not null
   );`,
  // Everything by the number it came with, so that what is written lies together and a commit touches few
  // pages. A job has a payload until it has ended.
  `create table jobs_by_number (
     n integer primary key,
     id text not null unique,
     origin text not null,
     key text,
     body text not null
   );
   insert into jobs_by_number select n, id, origin, key, body from jobs;
   create table payloads_by_number (n integer primary key, data blob not null);
   insert into payloads_by_number
     select jobs.n, payloads.data from payloads join jobs on jobs.id = payloads.job where jobs.final = 0;
   create table events_by_number (seq integer primary key, status integer not null, body text not null);
   insert into events_by_number select seq, event = 'printer.status', body from events;
   drop table events;
   drop table payloads;
   drop table jobs;
   alter table jobs_by_number rename to jobs;
   alter table payloads_by_number rename to payloads;
   alter table events_by_number rename to events;
   create unique index jobs_key on jobs (origin, key) where key is not null;`,
];
