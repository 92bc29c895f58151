const ordinary =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|NODE_OPTIONS|NODE_EXTRA_CA_CERTS)$/;

/**
 * What a part is given of this process's environment, which holds the keys of the installation and the addresses and
 * passwords of the other parts. What a part needs besides is named where it is started, so that a later start of it
 * gives no more than the first.
 */
export const ordinaryOf = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => pick(env, ordinary);

/** For what downloads. A proxy's address may have a password in it. */
export const proxiesOf = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => pick(env, /^(https?|all|no)_proxy$/i);

const pick = (env: NodeJS.ProcessEnv, names: RegExp): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)));
