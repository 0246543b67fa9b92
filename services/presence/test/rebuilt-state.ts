// biome-ignore lint/suspicious/noExplicitAny: events are read as a receiver would, without our types
type Told = { sequence: number; type: string; id: string; data: any };

/** What a receiver knows of an organisation from events alone, in whatever order they came. */
export function createRebuiltState() {
  const kept = new Map<string, { sequence: number; value: object | undefined }>();
  const keep = (key: string, sequence: number, value: object | undefined) => {
    const before = kept.get(key);
    if (!before || before.sequence < sequence) kept.set(key, { sequence, value });
  };
  const left = new Map<string, number>();
  return {
    apply: ({ type, sequence, data }: Told): void => {
      if (type.startsWith("todo.")) {
        keep(`todo ${data.todo.id}`, sequence, type === "todo.deleted" ? undefined : data.todo);
      } else if (type.startsWith("project.")) {
        keep(`project ${data.project.id}`, sequence, data.project);
      } else if (type === "member.status.changed") {
        const { member, ...status } = data.status;
        keep(`status ${member.id}`, sequence, status);
      } else if (type === "member.joined") {
        keep(`member ${data.member.id}`, sequence, { email: data.member.email, name: data.member.name });
        keep(`status ${data.member.id}`, sequence, data.member.status);
      } else if (type === "member.left") {
        keep(`member ${data.member.id}`, sequence, undefined);
        left.set(data.member.id, sequence);
      }
    },
    /** Everything that is, by what it is called; what left took its own along. */
    state: (): Record<string, object> =>
      Object.fromEntries(
        [...kept]
          .flatMap(([key, { value }]) => {
            const owner = key.startsWith("status ")
              ? key.slice(7)
              : (value as { memberId?: string } | undefined)?.memberId;
            return value === undefined || (owner !== undefined && left.has(owner))
              ? []
              : [[key, value] as const];
          })
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  };
}

/** The same, as the API tells it. */
export async function stateByApi(
  get: (path: string) => Promise<{ data: never[]; nextCursor: string | null }>,
): Promise<Record<string, object>> {
  const all = async (path: string) => {
    const found: Array<Record<string, never>> = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: { data: never[]; nextCursor: string | null } = await get(
        `${path}?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      found.push(...page.data);
      cursor = page.nextCursor;
    }
    return found;
  };
  const entries: Array<readonly [string, object]> = [];
  for (const project of await all("projects")) entries.push([`project ${project.id}`, project]);
  for (const member of await all("members")) {
    entries.push([`member ${member.id}`, { email: member.email, name: member.name }]);
    entries.push([`status ${member.id}`, member.status as unknown as object]);
    for (const todo of await all(`members/${member.email}/todos`)) entries.push([`todo ${todo.id}`, todo]);
  }
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
