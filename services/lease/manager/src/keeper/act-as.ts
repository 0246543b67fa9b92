export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Lets root do something with the rights of another user. It must not wait: the whole process is that user meanwhile. */
export function actAs<T>({ uid, gid }: Identity, work: () => T): T {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([gid]);
  process.setegid?.(gid);
  process.seteuid?.(uid);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}
