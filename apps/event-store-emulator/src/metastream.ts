/** The stream that holds another one's metadata. */
export const metastreamOf = (stream: string): string => `$$${stream}`;

/** Whether a stream holds metadata of another one. */
export const isMetastream = (stream: string): boolean => stream.startsWith('$$');

/** The stream that a metastream describes. */
export const originalOf = (metastream: string): string => metastream.slice(2);
