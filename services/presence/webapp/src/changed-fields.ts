/**
 * What differs from what a form showed when it was opened; undefined where nothing does. Only that is sent: what somebody else
 * has saved meanwhile in other fields stays.
 */
export function changedFields<Fields extends object>(
  shown: Fields,
  now: Fields,
): Partial<Fields> | undefined {
  const changed = Object.entries(now).filter(([name, value]) => !isSame(value, shown[name as keyof Fields]));
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Partial<Fields>);
}

/** What was ticked in another order is the same. */
const isSame = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((each) => other.includes(each))
    : Object.is(one, other);
