/** Many calls in a short time become one: what has to be asked for again is asked for once. */
export const gather = (act: () => void, milliseconds = 300) => gatherAfter(act, () => milliseconds);

/** The same where every open page hears of it in one moment: they do not all ask in one moment. */
export const gatherSpread = (act: () => void, milliseconds = 300, spreadMilliseconds = 1_500) =>
  gatherAfter(act, () => milliseconds + Math.random() * spreadMilliseconds);

/** The same after a pause that is found when the first call comes. */
export function gatherAfter(act: () => void, pause: () => number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    soon: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, pause());
    },
    stop: () => clearTimeout(timer),
  };
}
