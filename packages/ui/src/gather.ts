/** Many calls in a short time become one: what has to be asked for again is asked for once. */
export function gather(act: () => void, milliseconds = 300) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    soon: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, milliseconds);
    },
    stop: () => clearTimeout(timer),
  };
}
