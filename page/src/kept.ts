// What the browser keeps for the next visit; windows that may keep nothing forget it when they are closed.

export const kept = {
  get: (key: string): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set: (key: string, value: string): void => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // it lasts as long as the window
    }
  },
};
