/** What a stream said: its name, its data, and the sequence if it has one. */
export interface Told {
  readonly id: number | undefined;
  readonly name: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly data: any;
}

export interface StreamClient {
  readonly status: number;
  readonly headers: Headers;
  readonly told: Told[];
  readonly comments: string[];
  /** Resolves when something that was told fits. */
  until(fits: (told: Told) => boolean): Promise<Told>;
  /** Resolves when the server has ended the stream, or it broke. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Reads server-sent events as a browser does (HTML, 9.2.6). */
export async function openStream(
  url: string,
  headers: Record<string, string>,
  onTold: (told: Told) => void = () => {},
): Promise<StreamClient> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const told: Told[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  const tell = (block: string) => {
    let id: number | undefined;
    let name: string | undefined;
    let data: string | undefined;
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) comments.push(line);
      else if (line.startsWith("id: ")) id = Number(line.slice(4));
      else if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data = line.slice(6);
    }
    if (id === undefined && name === undefined) return;
    const each = { id, name, data: data === undefined ? undefined : JSON.parse(data) };
    told.push(each);
    onTold(each);
    for (const wake of [...waiting]) wake();
  };
  const read = async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
        tell(text.slice(0, at));
        text = text.slice(at + 2);
      }
    }
  };
  const ended = response.ok ? read().catch(() => {}) : Promise.resolve();
  void ended.then(() => {
    for (const wake of [...waiting]) wake();
  });
  let over = false;
  void ended.then(() => {
    over = true;
  });
  return {
    status: response.status,
    headers: response.headers,
    told,
    comments,
    ended,
    close: () => abort.abort(),
    until: async (fits) => {
      for (;;) {
        const found = told.find(fits);
        if (found) return found;
        if (over) throw new Error(`the stream has ended before: ${JSON.stringify(told.slice(-5))}`);
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
          void ended.then(wake);
        });
      }
    },
  };
}
