// Generated from the OpenAPI document. Do not edit: `node services/presence/client/write.ts` writes it.

export type StatusDefinition = {
  key: string;
  label: string;
  color: string;
  emoji: string;
  isDefault: boolean;
};

export type MemberStatus = {
  member: { id: string; email: string; externalRef: string | null };
  status: string;
  label: string;
  isDefault: boolean;
  expiresAt: string | null;
  setAt: string | null;
  source: string;
};

export type Member = {
  id: string;
  email: string;
  name: string;
  externalRef: string | null;
  status: {
    status: string;
    label: string;
    isDefault: boolean;
    expiresAt: string | null;
    setAt: string | null;
    source: string;
  };
  avatarUrl: string;
  joinedAt: string;
};

export type Project = { id: string; name: string; archived: boolean; createdAt: string; updatedAt: string };

export type Todo = {
  id: string;
  memberId: string;
  projectId: string | null;
  text: string;
  done: boolean;
  doneAt: string | null;
  archived: boolean;
  position: number;
  externalSystem: string | null;
  externalRef: string | null;
  externalUrl: string | null;
  source: string;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type Event = {
  id: string;
  type:
    | "todo.created"
    | "todo.updated"
    | "todo.completed"
    | "todo.uncompleted"
    | "todo.archived"
    | "todo.deleted"
    | "todo.reordered"
    | "member.status.changed"
    | "member.joined"
    | "member.left"
    | "project.created"
    | "project.updated"
    | "project.archived"
    | "share_link.accessed"
    | "webhook.test";
  sequence: number;
  orgSlug: string;
  occurredAt: string;
  source: string | null;
  data: unknown;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId?: string;
  errors?: Array<{ pointer: string; detail: string; in: string }>;
  resumeAfter?: number;
  current?: unknown;
};

/** What each webhook carries, by event type. */
export interface Deliveries {
  "todo.created": {
    id: string;
    type: "todo.created";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      todo: Todo;
      previous?: {
        id?: string;
        memberId?: string;
        projectId?: string | null;
        text?: string;
        done?: boolean;
        doneAt?: string | null;
        archived?: boolean;
        position?: number;
        externalSystem?: string | null;
        externalRef?: string | null;
        externalUrl?: string | null;
        source?: string;
        version?: number;
        createdAt?: string;
        updatedAt?: string;
      };
    };
  };
  "todo.updated": {
    id: string;
    type: "todo.updated";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      todo: Todo;
      previous?: {
        id?: string;
        memberId?: string;
        projectId?: string | null;
        text?: string;
        done?: boolean;
        doneAt?: string | null;
        archived?: boolean;
        position?: number;
        externalSystem?: string | null;
        externalRef?: string | null;
        externalUrl?: string | null;
        source?: string;
        version?: number;
        createdAt?: string;
        updatedAt?: string;
      };
    };
  };
  "todo.completed": {
    id: string;
    type: "todo.completed";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      todo: Todo;
      previous?: {
        id?: string;
        memberId?: string;
        projectId?: string | null;
        text?: string;
        done?: boolean;
        doneAt?: string | null;
        archived?: boolean;
        position?: number;
        externalSystem?: string | null;
        externalRef?: string | null;
        externalUrl?: string | null;
        source?: string;
        version?: number;
        createdAt?: string;
        updatedAt?: string;
      };
    };
  };
  "todo.uncompleted": {
    id: string;
    type: "todo.uncompleted";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      todo: Todo;
      previous?: {
        id?: string;
        memberId?: string;
        projectId?: string | null;
        text?: string;
        done?: boolean;
        doneAt?: string | null;
        archived?: boolean;
        position?: number;
        externalSystem?: string | null;
        externalRef?: string | null;
        externalUrl?: string | null;
        source?: string;
        version?: number;
        createdAt?: string;
        updatedAt?: string;
      };
    };
  };
  "todo.archived": {
    id: string;
    type: "todo.archived";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      todo: Todo;
      previous?: {
        id?: string;
        memberId?: string;
        projectId?: string | null;
        text?: string;
        done?: boolean;
        doneAt?: string | null;
        archived?: boolean;
        position?: number;
        externalSystem?: string | null;
        externalRef?: string | null;
        externalUrl?: string | null;
        source?: string;
        version?: number;
        createdAt?: string;
        updatedAt?: string;
      };
    };
  };
  "todo.deleted": {
    id: string;
    type: "todo.deleted";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      todo: Todo;
      previous?: {
        id?: string;
        memberId?: string;
        projectId?: string | null;
        text?: string;
        done?: boolean;
        doneAt?: string | null;
        archived?: boolean;
        position?: number;
        externalSystem?: string | null;
        externalRef?: string | null;
        externalUrl?: string | null;
        source?: string;
        version?: number;
        createdAt?: string;
        updatedAt?: string;
      };
    };
  };
  "todo.reordered": {
    id: string;
    type: "todo.reordered";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      todo: Todo;
      previous?: {
        id?: string;
        memberId?: string;
        projectId?: string | null;
        text?: string;
        done?: boolean;
        doneAt?: string | null;
        archived?: boolean;
        position?: number;
        externalSystem?: string | null;
        externalRef?: string | null;
        externalUrl?: string | null;
        source?: string;
        version?: number;
        createdAt?: string;
        updatedAt?: string;
      };
    };
  };
  "member.status.changed": {
    id: string;
    type: "member.status.changed";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      status: {
        member: { id: string; email: string; externalRefs: Record<string, string> };
        status: string;
        label: string;
        isDefault: boolean;
        expiresAt: string | null;
        setAt: string | null;
        source: string;
      };
      previous: {
        status: string;
        label: string;
        isDefault: boolean;
        expiresAt: string | null;
        setAt: string | null;
        source: string;
      };
    };
  };
  "member.joined": {
    id: string;
    type: "member.joined";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      member: {
        id: string;
        email: string;
        name: string;
        externalRefs: Record<string, string>;
        status: {
          status: string;
          label: string;
          isDefault: boolean;
          expiresAt: string | null;
          setAt: string | null;
          source: string;
        };
        avatarUrl: string;
        joinedAt: string;
      };
    };
  };
  "member.left": {
    id: string;
    type: "member.left";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      member: {
        id: string;
        email: string;
        name: string;
        externalRefs: Record<string, string>;
        status: {
          status: string;
          label: string;
          isDefault: boolean;
          expiresAt: string | null;
          setAt: string | null;
          source: string;
        };
        avatarUrl: string;
        joinedAt: string;
      };
    };
  };
  "project.created": {
    id: string;
    type: "project.created";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      project: Project;
      previous?: { id?: string; name?: string; archived?: boolean; createdAt?: string; updatedAt?: string };
    };
  };
  "project.updated": {
    id: string;
    type: "project.updated";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      project: Project;
      previous?: { id?: string; name?: string; archived?: boolean; createdAt?: string; updatedAt?: string };
    };
  };
  "project.archived": {
    id: string;
    type: "project.archived";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      project: Project;
      previous?: { id?: string; name?: string; archived?: boolean; createdAt?: string; updatedAt?: string };
    };
  };
  "share_link.accessed": {
    id: string;
    type: "share_link.accessed";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: {
      shareLink: { id: string; kind: "board" | "project"; projectId: string | null; createdAt: string };
    };
  };
  "webhook.test": {
    id: string;
    type: "webhook.test";
    sequence: number;
    orgSlug: string;
    occurredAt: string;
    source: string | null;
    prevSequence: number | null;
    data: { webhook: { id: string; url: string } };
  };
}

export interface ClientOptions {
  /** Where the service is, like https://presence.example. */
  readonly url: string;
  readonly org: string;
  readonly token: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** A reply with its status and headers; `data` is what the endpoint answers with when it does what was asked. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
}

/** The service refused, or something on the way did; `problem` says why. */
export class PresenceProblem extends Error {
  override name = "PresenceProblem";
  readonly problem: Problem;
  readonly headers: Headers;
  readonly status: number;
  /** When to try again, if the reply said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, headers: Headers) {
    super(problem.detail);
    this.problem = problem;
    this.status = problem.status;
    const wait = Number(headers.get("retry-after") ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(wait) ? wait : undefined;
    this.headers = headers;
  }
}

interface Details {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** A part of a path. `.` and `..` would be taken for other paths, however they are encoded. */
function segment(text: string): string {
  if (text === "." || text === "..") throw new TypeError(`"${text}" cannot be asked for in a path.`);
  return encodeURIComponent(text);
}

/** What came instead of a problem of the service: a gateway's page, or nothing. */
function unexpected(reply: Response): Problem {
  const title = reply.statusText || "The reply is not one of the service.";
  const detail = `The reply with status ${reply.status} is not one of the service.`;
  return { type: "about:blank", title, status: reply.status, detail, code: "unexpected_reply" };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function createCall(options: ClientOptions) {
  const base = `${options.url.replace(/\/+$/, "")}/api/v1/external/orgs/${segment(options.org)}`;
  const send = options.fetch ?? globalThis.fetch;
  return async <T>(method: string, path: string, details: Details = {}): Promise<Answer<T>> => {
    const url = new URL(base + path);
    for (const [name, value] of Object.entries(details.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers = new Headers({ authorization: `Bearer ${options.token}` });
    for (const [name, value] of Object.entries(details.headers ?? {})) {
      if (value !== undefined) headers.set(name, value);
    }
    if (details.body !== undefined) headers.set("content-type", "application/json");
    const reply = await send(url, {
      method,
      headers,
      ...(details.body === undefined ? {} : { body: JSON.stringify(details.body) }),
    });
    const text = await reply.text();
    const data = parsed(text);
    const isProblem = typeof data === "object" && data !== null && "code" in data;
    if (!reply.ok || (data === undefined && text !== ""))
      throw new PresenceProblem(isProblem ? (data as Problem) : unexpected(reply), reply.headers);
    return { status: reply.status, headers: reply.headers, data: data as T };
  };
}

export function presenceClient(options: ClientOptions) {
  const call = createCall(options);
  return {
    /** The organisation's status vocabulary. */
    listStatuses: () =>
      call<{ data: Array<StatusDefinition>; nextCursor: string | null }>("GET", "/statuses"),
    /** A member's current status, by e-mail. */
    getStatus: (input: { email: string }) =>
      call<MemberStatus>("GET", `/members/${segment(input.email)}/status`),
    /** Set a member's status, by e-mail. */
    setStatus: (input: { email: string; body: { status: string; expiresAt?: string | null } }) =>
      call<MemberStatus>("POST", `/members/${segment(input.email)}/status`, { body: input.body }),
    /** Return a member's status to the default, by e-mail. */
    clearStatus: (input: { email: string }) =>
      call<MemberStatus>("DELETE", `/members/${segment(input.email)}/status`),
    /** A member's current status, by the caller's own reference. */
    getStatusByRef: (input: { ref: string }) =>
      call<MemberStatus>("GET", `/members/by-external-ref/${segment(input.ref)}/status`),
    /** Set a member's status, by the caller's own reference. */
    setStatusByRef: (input: { ref: string; body: { status: string; expiresAt?: string | null } }) =>
      call<MemberStatus>("POST", `/members/by-external-ref/${segment(input.ref)}/status`, {
        body: input.body,
      }),
    /** Return a member's status to the default, by the caller's own reference. */
    clearStatusByRef: (input: { ref: string }) =>
      call<MemberStatus>("DELETE", `/members/by-external-ref/${segment(input.ref)}/status`),
    /** Set up to 500 statuses, with a result for each. */
    setStatuses: (input: {
      body: {
        items: Array<{ email?: string; externalRef?: string; status: string; expiresAt?: string | null }>;
      };
    }) =>
      call<{
        results: Array<{
          index: number;
          status: number;
          data?: MemberStatus;
          problem?: { code: string; detail: string };
        }>;
      }>("POST", "/members/status:batch", { body: input.body }),
    /** Members, with the caller's own references. */
    listMembers: (input: { limit?: number; cursor?: string } = {}) =>
      call<{ data: Array<Member>; nextCursor: string | null }>("GET", "/members", {
        query: { limit: input.limit, cursor: input.cursor },
      }),
    /** Projects. */
    listProjects: (input: { limit?: number; cursor?: string } = {}) =>
      call<{ data: Array<Project>; nextCursor: string | null }>("GET", "/projects", {
        query: { limit: input.limit, cursor: input.cursor },
      }),
    /** A member, by e-mail. */
    getMember: (input: { email: string }) => call<Member>("GET", `/members/${segment(input.email)}`),
    /** Set the caller's own reference for a member, by e-mail. */
    setExternalRef: (input: { email: string; body: { externalRef: string | null } }) =>
      call<Member>("PUT", `/members/${segment(input.email)}/external-ref`, { body: input.body }),
    /** A member, by the caller's own reference. */
    getMemberByRef: (input: { ref: string }) =>
      call<Member>("GET", `/members/by-external-ref/${segment(input.ref)}`),
    /** Set the caller's own reference for a member, by the caller's own reference. */
    setExternalRefByRef: (input: { ref: string; body: { externalRef: string | null } }) =>
      call<Member>("PUT", `/members/by-external-ref/${segment(input.ref)}/external-ref`, {
        body: input.body,
      }),
    /** A member's TODOs in their order, by e-mail. */
    listTodos: (input: {
      limit?: number;
      cursor?: string;
      done?: boolean;
      archived?: boolean;
      project?: string;
      email: string;
    }) =>
      call<{ data: Array<Todo>; nextCursor: string | null }>(
        "GET",
        `/members/${segment(input.email)}/todos`,
        {
          query: {
            limit: input.limit,
            cursor: input.cursor,
            done: input.done,
            archived: input.archived,
            project: input.project,
          },
        },
      ),
    /** Create a TODO, by e-mail. */
    createTodo: (input: {
      email: string;
      body: {
        text: string;
        projectId?: string | null;
        externalSystem?: string;
        externalRef?: string;
        externalUrl?: string | null;
      };
    }) => call<Todo>("POST", `/members/${segment(input.email)}/todos`, { body: input.body }),
    /** A member's TODOs in their order, by the caller's own reference. */
    listTodosByRef: (input: {
      limit?: number;
      cursor?: string;
      done?: boolean;
      archived?: boolean;
      project?: string;
      ref: string;
    }) =>
      call<{ data: Array<Todo>; nextCursor: string | null }>(
        "GET",
        `/members/by-external-ref/${segment(input.ref)}/todos`,
        {
          query: {
            limit: input.limit,
            cursor: input.cursor,
            done: input.done,
            archived: input.archived,
            project: input.project,
          },
        },
      ),
    /** Create a TODO, by the caller's own reference. */
    createTodoByRef: (input: {
      ref: string;
      body: {
        text: string;
        projectId?: string | null;
        externalSystem?: string;
        externalRef?: string;
        externalUrl?: string | null;
      };
    }) => call<Todo>("POST", `/members/by-external-ref/${segment(input.ref)}/todos`, { body: input.body }),
    /** Find a TODO that the caller created. */
    findTodo: (input: { system: string; ref: string }) =>
      call<Todo>("GET", `/todos/by-external-ref/${segment(input.system)}/${segment(input.ref)}`),
    /** A TODO with its ETag. */
    getTodo: (input: { id: string }) => call<Todo>("GET", `/todos/${segment(input.id)}`),
    /** Update a TODO. */
    updateTodo: (input: {
      id: string;
      ifMatch?: string;
      body: {
        text?: string;
        projectId?: string | null;
        externalUrl?: string | null;
        archived?: boolean;
        position?: number;
        done?: boolean;
      };
    }) =>
      call<Todo>("PATCH", `/todos/${segment(input.id)}`, {
        headers: { "if-match": input.ifMatch },
        body: input.body,
      }),
    /** Delete a TODO. */
    deleteTodo: (input: { id: string; ifMatch?: string }) =>
      call<undefined>("DELETE", `/todos/${segment(input.id)}`, { headers: { "if-match": input.ifMatch } }),
    /** Mark a TODO done. */
    completeTodo: (input: { id: string; ifMatch?: string }) =>
      call<Todo>("POST", `/todos/${segment(input.id)}/complete`, { headers: { "if-match": input.ifMatch } }),
    /** Mark a TODO not done. */
    uncompleteTodo: (input: { id: string; ifMatch?: string }) =>
      call<Todo>("POST", `/todos/${segment(input.id)}/uncomplete`, {
        headers: { "if-match": input.ifMatch },
      }),
    /** The organisation's events in order, to catch up after a gap. */
    listEvents: (input: { after?: number; limit?: number } = {}) =>
      call<{ data: Array<Event>; nextCursor: string | null; lastSequence: number }>("GET", "/events", {
        query: { after: input.after, limit: input.limit },
      }),
  };
}

export type PresenceClient = ReturnType<typeof presenceClient>;
