import { type Static, Type } from "typebox";

export const Limits = Type.Object({
  frameBytes: Type.Integer({ default: 8 * 1024 * 1024 }),
  payloadBytes: Type.Integer({ default: 4 * 1024 * 1024 }),
  copies: Type.Integer({ default: 999 }),
  labelsPerRequest: Type.Integer({ default: 500 }),
  labelsPerJob: Type.Integer({ default: 10_000 }),
  requestsPerSecond: Type.Integer({ default: 20 }),
  burst: Type.Integer({ default: 40 }),
  authFailuresPerMinute: Type.Integer({ default: 5 }),
  jobsWaiting: Type.Integer({ default: 500 }),
  bytesWaiting: Type.Integer({ default: 512 * 1024 * 1024 }),
  voids: Type.Integer({ default: 3 }),
});
export type Limits = Static<typeof Limits>;

export const DEFAULT_LIMITS: Limits = {
  frameBytes: 8 * 1024 * 1024,
  payloadBytes: 4 * 1024 * 1024,
  copies: 999,
  labelsPerRequest: 500,
  labelsPerJob: 10_000,
  requestsPerSecond: 20,
  burst: 40,
  authFailuresPerMinute: 5,
  jobsWaiting: 500,
  bytesWaiting: 512 * 1024 * 1024,
  voids: 3,
};
