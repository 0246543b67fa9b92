/**
 * Something the operator can put right: a setting, a port, a folder. Its message is one sentence
 * that says what is wrong and what to do, and it is all that the operator sees.
 */
export class StartProblem extends Error {
  override name = "StartProblem";
}
