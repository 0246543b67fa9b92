import type { StyleOption } from "../domain/design.ts";
import type { Sight, SmallPhoto, Vision } from "../domain/photo.ts";

const ANSWER_LIMIT_MS = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const TRIES = 2;

const TASK = `Describe the person in the photo as options of a cartoon avatar. Choose for every option the value that
comes nearest. If no human face can be seen, answer with "face": false. Answer by the schema and nothing else.`;

/** Any endpoint that speaks OpenAI's chat completions with pictures and structured output. */
export function openAiVision(options: {
  url: URL;
  key: string | undefined;
  model: string;
  known: readonly StyleOption[];
  limitMs?: number;
}): Vision {
  const endpoint = `${options.url.href.replace(/\/$/, "")}/chat/completions`;
  const schema = answerSchema(options.known);

  async function ask({ jpeg }: SmallPhoto): Promise<Sight> {
    const picture = `data:image/jpeg;base64,${Buffer.from(jpeg).toString("base64")}`;
    const reply = await fetch(endpoint, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.timeout(options.limitMs ?? ANSWER_LIMIT_MS),
      headers: {
        "content-type": "application/json",
        ...(options.key ? { authorization: `Bearer ${options.key}` } : {}),
      },
      body: JSON.stringify({
        model: options.model,
        messages: [
          { role: "system", content: TASK },
          { role: "user", content: [{ type: "image_url", image_url: { url: picture, detail: "low" } }] },
        ],
        response_format: { type: "json_schema", json_schema: { name: "avatar", strict: true, schema } },
      }),
    });
    if (!reply.ok) {
      await reply.body?.cancel();
      throw new Error(`the vision endpoint answered ${reply.status}`);
    }
    return sightOf(JSON.parse(await bounded(reply)));
  }

  return {
    look: async (photo) => {
      for (let tries = 1; ; tries++) {
        try {
          return await ask(photo);
        } catch (error) {
          if (tries === TRIES) throw error;
        }
      }
    },
  };
}

/** What there is to choose: pieces and colours. How the whole is set on the canvas is no matter of looks. */
function answerSchema(known: readonly StyleOption[]) {
  const choices = known.filter(
    ({ name, kind, values }) =>
      values?.length && (kind === "color" || name.endsWith("Variant")) && name !== "backgroundColor",
  );
  const optional = known.filter(({ kind, default: preset }) => kind === "probability" && preset !== 100);
  const properties = Object.fromEntries<object>([
    ...choices.map(({ name, values }) => [name, { type: "string", enum: values }] as const),
    ...optional.map(({ name }) => [name, { type: "integer", enum: [0, 100] }] as const),
  ]);
  return {
    type: "object",
    additionalProperties: false,
    required: ["face", "options"],
    properties: {
      face: { type: "boolean", description: "Whether a human face can be seen." },
      options: {
        type: "object",
        additionalProperties: false,
        required: Object.keys(properties),
        properties,
        description: "A probability is 100 where the person has the thing, and 0 where not.",
      },
    },
  };
}

function sightOf(reply: unknown): Sight {
  const message = (reply as { choices?: Array<{ message?: { content?: unknown; refusal?: unknown } }> })
    ?.choices?.[0]?.message;
  if (message?.refusal) throw new Error("the model refused");
  if (typeof message?.content !== "string") throw new Error("the answer has no content");
  const answer = JSON.parse(message.content) as { face?: unknown; options?: unknown } | null;
  if (answer?.face === false) return { face: false };
  if (answer?.face !== true || typeof answer.options !== "object")
    throw new Error("the answer is not what was asked for");
  return { face: true, options: answer.options };
}

async function bounded(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
