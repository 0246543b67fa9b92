import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import { BridgeError } from "../domain/errors.ts";
import { isFinal, type Job, type ListedJob, labelResults, listedJob } from "../domain/job.ts";
import type { Registry } from "../domain/registry.ts";
import { textOf } from "../zpl/charset.ts";
import { noteJob } from "./admin-audit.ts";
import { type AdminOptions, CONSOLE, Id } from "./admin-context.ts";
import { JobDetail, JobList, type JobRow, JobSearch } from "./admin-schemas.ts";

const MAX_LABELS = 500;
const MAX_PICTURES = 50;
const iso = (time: number) => new Date(time).toISOString();

/** A job for a list, with its labels counted. */
export function jobRow(job: ListedJob, printers: Pick<Registry["printers"], "get">): JobRow {
  const { asked, printed, voided } = job.count;
  return {
    job_id: job.id,
    printer: job.printer,
    printer_name: printers.get(job.printer)?.name ?? job.printer,
    origin: job.origin,
    state: job.state,
    verification: job.verification,
    asked,
    printed,
    voided,
    copies: job.copies,
    language: job.language ?? null,
    rfid: job.rfid,
    reasons: [...job.reasons],
    error: job.error ?? null,
    created_at: iso(job.createdAt),
    updated_at: iso(job.updatedAt),
  };
}

/** Jobs, whoever asked for them, with pictures of their labels where there are any. */
export function addJobRoutes(app: HttpServer, options: AdminOptions): void {
  const { bridge, registry } = options;

  function jobOf(id: string): Job {
    const job = bridge.journal.job(id);
    if (!job) throw new BridgeError("JOB_UNKNOWN", "There is no such job, or it is too long ago.");
    return job;
  }

  app.get(
    "/jobs",
    {
      schema: { summary: "Jobs, newest first", querystring: JobSearch, response: { 200: JobList } },
    },
    async ({ query }) => {
      const row = (job: ListedJob) => jobRow(job, registry.printers);
      if (Object.keys(query).length === 0) return { jobs: bridge.journal.recent(200).map(row) };
      const { cursor, limit = 50, state, printer, q: text } = query;
      const before = cursor === undefined ? undefined : Number(cursor);
      const { jobs, next, total } = bridge.journal.search({ state, printer, text, before, limit });
      return { items: jobs.map(row), next_cursor: next === undefined ? null : String(next), total };
    },
  );
  app.get(
    "/jobs/:id",
    { schema: { summary: "A job, label by label", params: Id, response: { 200: JobDetail } } },
    async (request) => {
      const job = jobOf(request.params.id);
      const labels = labelResults(job.count);
      // Their names begin with the time, so they are turned round to stand as they were printed.
      const pictures = options.labels
        .list(job.printer)
        .filter((name) => name.includes(job.id))
        .sort()
        .slice(0, MAX_PICTURES)
        .map((name) => `/api/v1/admin/printers/${encodeURIComponent(job.printer)}/labels/${name}`);
      return {
        ...jobRow(listedJob(job), registry.printers),
        labels: labels.slice(0, MAX_LABELS),
        more_labels: Math.max(0, labels.length - MAX_LABELS),
        pictures,
        reprintable: isFinal(job.state) && bridge.journal.hasData(job.id),
      };
    },
  );
  app.post(
    "/jobs/:id/reprint",
    {
      schema: {
        summary: "Prints a job that has ended again, as a new job of the console's",
        params: Id,
        response: { 202: Type.Object({ jobId: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { jobId } = await bridge.service.reprint(CONSOLE, id);
      noteJob(options, request, "job.reprinted", id, { job: jobId });
      bridge.log.info({ job: id, reprint: jobId }, "job printed again");
      return reply.code(202).send({ jobId });
    },
  );
  app.get(
    "/jobs/:id/preview",
    {
      schema: {
        summary: "What a job prints, while its data is kept",
        params: Id,
        response: { 200: Type.Object({ pictures: Type.Array(Type.String()) }) },
      },
    },
    async (request) => {
      const job = jobOf(request.params.id);
      const printer = registry.printers.get(job.printer);
      if (!bridge.journal.hasData(job.id) || job.language !== "zpl" || !printer) return { pictures: [] };
      const zpl = textOf(bridge.journal.data(job.id));
      const pictures = await options.draw({ ...printer, zpl }).catch(() => []);
      return {
        pictures: pictures.slice(0, MAX_PICTURES).map((png) => Buffer.from(png).toString("base64")),
      };
    },
  );
}
