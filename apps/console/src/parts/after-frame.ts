/** By then the browser has drawn what was rendered. A page in the background draws nothing, but this comes anyway. */
const drawnMs = 50;

/** Does what need not be done for the frame that is about to be drawn; call what it returns to leave it undone. */
export function afterFrame(work: () => void): () => void {
  const timer = setTimeout(work, drawnMs);
  return () => clearTimeout(timer);
}

/** Resolves once the frame is drawn that is about to be. */
export const frameDrawn = (): Promise<void> => new Promise((resolve) => void afterFrame(resolve));
