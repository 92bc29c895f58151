type Content = Record<string, unknown>;

export function layoutOf(content: Content): 'standard' | 'ring' | 'hero' | 'terminal' | 'steps';
export function fit(text: string, budget: number): string;
export function progressOf(content: Content): number | undefined;
export function percentOf(progress: number): string;
export function expandedText(content: Content): { title: string; line: string; detail: string };
export function compactText(content: Content): string;
export function timerText(ms: number): string;
