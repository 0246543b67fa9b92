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
  // What is replayed is the newest state of each job and each printer, so that is all that is kept: a job
  // carries the number of its last event, and its tags stand beside it, each once.
  `create table job_tags (n integer not null, at integer not null, body text not null, primary key (n, at)) without rowid;
   insert into job_tags
     select jobs.n, tags.key, tags.value from jobs, json_each(jobs.body, '$.tally.tags') as tags;
   alter table jobs add column seq integer not null default 0;
   update jobs set
     seq = coalesce((select max(seq) from events where status = 0 and json_extract(events.body, '$.id') = jobs.id), 0),
     body = json_set(
       json_remove(body, '$.tally', '$.baseline', '$.receipt'),
       '$.count', json_object(
         'asked', json_extract(body, '$.tally.asked'),
         'printed', json_extract(body, '$.tally.printed'),
         'tags', json_array_length(body, '$.tally.tags')),
       '$.odometer', json_extract(body, '$.baseline'),
       '$.spoolerJob', json_extract(body, '$.receipt'));
   create index jobs_seq on jobs (seq);
   create table printer_statuses (printer text primary key, seq integer not null, body text not null) without rowid;
   insert or replace into printer_statuses
     select json_extract(body, '$.printer'), seq, body from events where status = 1 order by seq;
   create table sequence (n integer primary key, last integer not null, dropped integer not null);
   insert into sequence
     select 1, coalesce(max(seq), 0), coalesce(min(seq), 1) - 1 from events;
   drop table events;`,
  // What changes of a job stands apart from what never does, and the number of its newest event is found by an index
  // for jobs that have ended alone: the others are few, and in memory. So a change writes little.
  `drop index jobs_seq;
   alter table jobs add column ended integer;
   alter table jobs add column progress text not null default '{}';
   update jobs set
     ended = case when json_extract(body, '$.state') in ('Done', 'Failed', 'Unknown') then seq end,
     progress = json_remove(body, '$.id', '$.origin', '$.printer', '$.generation', '$.alias', '$.language', '$.copies',
       '$.rfid', '$.createdAt'),
     body = json_remove(body, '$.id', '$.origin', '$.state', '$.started', '$.verification', '$.count', '$.reasons',
       '$.error', '$.odometer', '$.device', '$.spoolerJob', '$.updatedAt');
   create index jobs_ended on jobs (ended) where ended is not null;`,
];
