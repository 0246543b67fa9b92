/** What the manager's codes mean to a person, where its own sentence does not say enough. */
export const words = {
  unauthorized: "You are signed out. Sign in again.",
  forbidden: "Your role does not allow this. Ask an administrator.",
};
