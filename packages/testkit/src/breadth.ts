/** Set by `npm test -- --breadth`. */
export const BREADTH = "TESTKIT_BREADTH";

/** How often a test repeats what chance varies: enough to notice a mistake each time, or many times more when asked. */
export const repetitions = (usual: number, many: number): number => (process.env[BREADTH] ? many : usual);
