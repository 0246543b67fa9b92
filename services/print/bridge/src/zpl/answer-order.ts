import type { Reply } from "./replies.ts";

export type Counter = "odometer" | "voids";
/** Kinds of answers to a question; a tag is told without one. */
export type AnswerKind = Exclude<Reply["kind"], "tag">;
export const ANSWER_KINDS: readonly AnswerKind[] = ["errors", "buffer", "head", "variable"];

/** A question about a variable that was written with a job, apart from any numbered question. */
const WITH_A_JOB = 0;
/** Answers about variables that may still come. */
const MAX_AWAITED = 1_000;

interface AwaitedVariable {
  readonly question: number;
  /** The numbered question that it was written with, or before. */
  readonly place: number;
  readonly counter: Counter;
  readonly tell?: (text: string) => void;
}

/** An answer, and the question it is of, counted from 1. */
export interface Attributed {
  readonly question: number;
  /** What an answer about a variable tells of. */
  readonly counter?: Counter;
}

/**
 * Which question an answer is of. Answers carry no name, and a printer that reads nothing while it is stopped answers
 * all it was asked when it goes on: the first answer of each kind is that of the first question. Firmware that drops
 * an answer makes all later ones of that kind seem older than they are, for as long as the connection lasts.
 */
export interface AnswerOrder {
  /** How many questions were written. */
  readonly asked: number;
  /**
   * How many of them lack an answer of a kind that was heard on this connection: it may still come, or was dropped. All
   * of them where nothing was heard.
   */
  readonly unanswered: number;
  /** The last question all of whose variables were told, with all before it. */
  readonly variablesTold: number;
  ask(counters: readonly Counter[]): void;
  /** A question about variables that goes before a job; returns the way to pass over the answer. */
  askWithJob(counters: readonly Counter[], tell: (odometer: string) => void): () => void;
  /** Undefined for an answer about a variable that nobody asked for. */
  attribute(reply: Exclude<Reply, { kind: "tag" }>): Attributed | undefined;
}

export function createAnswerOrder(): AnswerOrder {
  let asked = 0;
  const answered = { errors: 0, buffer: 0, head: 0 };
  let hasVariables = false;
  let variables: AwaitedVariable[] = [];
  const expect = (awaited: readonly AwaitedVariable[]) => {
    variables = [...variables.slice(-MAX_AWAITED), ...awaited];
  };
  const variablesTold = () => Math.min(asked, (variables[0]?.place ?? asked + 1) - 1);

  return {
    get asked() {
      return asked;
    },
    get unanswered() {
      const heard = Object.values(answered).filter((last) => last > 0);
      if (hasVariables) heard.push(variablesTold());
      return heard.length === 0 ? asked : asked - Math.min(...heard);
    },
    get variablesTold() {
      return variablesTold();
    },
    ask: (counters) => {
      asked++;
      expect(counters.map((counter) => ({ question: asked, place: asked, counter })));
    },
    askWithJob: (counters, tell) => {
      let isWanted = true;
      const told = (text: string) => {
        if (isWanted) tell(text);
      };
      expect(
        counters.map((counter) => ({
          question: WITH_A_JOB,
          place: asked + 1,
          counter,
          ...(counter === "odometer" ? { tell: told } : {}),
        })),
      );
      return () => {
        isWanted = false;
      };
    },
    attribute: (reply) => {
      if (reply.kind !== "variable") {
        answered[reply.kind] = Math.min(asked, answered[reply.kind] + 1);
        return { question: answered[reply.kind] };
      }
      hasVariables = true;
      const awaited = variables.shift();
      if (!awaited) return undefined;
      awaited.tell?.(reply.value);
      if (awaited.question === WITH_A_JOB) return undefined;
      return { question: awaited.question, counter: awaited.counter };
    },
  };
}
