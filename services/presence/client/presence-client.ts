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

/** The service refused; `problem` says why. */
export class PresenceProblem extends Error {
  override name = "PresenceProblem";
  readonly problem: Problem;
  readonly headers: Headers;

  constructor(problem: Problem, headers: Headers) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

interface Details {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

function createCall(options: ClientOptions) {
  const base = `${options.url}/api/v1/external/orgs/${encodeURIComponent(options.org)}`;
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
    const data = text === "" ? undefined : JSON.parse(text);
    if (!reply.ok) throw new PresenceProblem(data as Problem, reply.headers);
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
      call<MemberStatus>("GET", `/members/${encodeURIComponent(input.email)}/status`),
    /** Set a member's status, by e-mail. */
    setStatus: (input: { email: string; body: { status: string; expiresAt?: string | null } }) =>
      call<MemberStatus>("POST", `/members/${encodeURIComponent(input.email)}/status`, { body: input.body }),
    /** Return a member's status to the default, by e-mail. */
    clearStatus: (input: { email: string }) =>
      call<MemberStatus>("DELETE", `/members/${encodeURIComponent(input.email)}/status`),
    /** A member's current status, by the caller's own reference. */
    getStatusByRef: (input: { ref: string }) =>
      call<MemberStatus>("GET", `/members/by-external-ref/${encodeURIComponent(input.ref)}/status`),
    /** Set a member's status, by the caller's own reference. */
    setStatusByRef: (input: { ref: string; body: { status: string; expiresAt?: string | null } }) =>
      call<MemberStatus>("POST", `/members/by-external-ref/${encodeURIComponent(input.ref)}/status`, {
        body: input.body,
      }),
    /** Return a member's status to the default, by the caller's own reference. */
    clearStatusByRef: (input: { ref: string }) =>
      call<MemberStatus>("DELETE", `/members/by-external-ref/${encodeURIComponent(input.ref)}/status`),
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
    getMember: (input: { email: string }) =>
      call<Member>("GET", `/members/${encodeURIComponent(input.email)}`),
    /** Set the caller's own reference for a member, by e-mail. */
    setExternalRef: (input: { email: string; body: { externalRef: string | null } }) =>
      call<Member>("PUT", `/members/${encodeURIComponent(input.email)}/external-ref`, { body: input.body }),
    /** A member, by the caller's own reference. */
    getMemberByRef: (input: { ref: string }) =>
      call<Member>("GET", `/members/by-external-ref/${encodeURIComponent(input.ref)}`),
    /** Set the caller's own reference for a member, by the caller's own reference. */
    setExternalRefByRef: (input: { ref: string; body: { externalRef: string | null } }) =>
      call<Member>("PUT", `/members/by-external-ref/${encodeURIComponent(input.ref)}/external-ref`, {
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
        `/members/${encodeURIComponent(input.email)}/todos`,
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
    }) => call<Todo>("POST", `/members/${encodeURIComponent(input.email)}/todos`, { body: input.body }),
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
        `/members/by-external-ref/${encodeURIComponent(input.ref)}/todos`,
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
    }) =>
      call<Todo>("POST", `/members/by-external-ref/${encodeURIComponent(input.ref)}/todos`, {
        body: input.body,
      }),
    /** Find a TODO that the caller created. */
    findTodo: (input: { system: string; ref: string }) =>
      call<Todo>(
        "GET",
        `/todos/by-external-ref/${encodeURIComponent(input.system)}/${encodeURIComponent(input.ref)}`,
      ),
    /** A TODO with its ETag. */
    getTodo: (input: { id: string }) => call<Todo>("GET", `/todos/${encodeURIComponent(input.id)}`),
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
      call<Todo>("PATCH", `/todos/${encodeURIComponent(input.id)}`, {
        headers: { "if-match": input.ifMatch },
        body: input.body,
      }),
    /** Delete a TODO. */
    deleteTodo: (input: { id: string; ifMatch?: string }) =>
      call<undefined>("DELETE", `/todos/${encodeURIComponent(input.id)}`, {
        headers: { "if-match": input.ifMatch },
      }),
    /** Mark a TODO done. */
    completeTodo: (input: { id: string; ifMatch?: string }) =>
      call<Todo>("POST", `/todos/${encodeURIComponent(input.id)}/complete`, {
        headers: { "if-match": input.ifMatch },
      }),
    /** Mark a TODO not done. */
    uncompleteTodo: (input: { id: string; ifMatch?: string }) =>
      call<Todo>("POST", `/todos/${encodeURIComponent(input.id)}/uncomplete`, {
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
