import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal, in constant time, also for texts of different lengths: for secrets and signatures. */
export const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(hashOf(one), hashOf(other));

const hashOf = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
