import { execFile } from 'node:child_process';

/** The output of a tool of the operator. */
export interface ToolResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `tools/admin.mjs` on the house that has its data there. */
export const runAdmin = (dataDir: string, options: readonly string[]): Promise<ToolResult> =>
  runTool(dataDir, 'admin', options);

/** Runs a tool of the operator on the house that has its data there. */
export const runTool = (dataDir: string, tool: string, options: readonly string[]): Promise<ToolResult> =>
  new Promise((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: '', CARILLON_DATA: dataDir, NATS_URL: '' };
    const child = execFile(
      process.execPath,
      [`tools/${tool}.mjs`, ...options],
      { env },
      (_error, stdout, stderr) => resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
