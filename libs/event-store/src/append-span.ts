import { categoryOf } from './selection';

/** The span of an append. */
export const appendSpan = (stream: string, count: number) => {
  const category = categoryOf(stream);
  return {
    name: `append ${category}`,
    kind: 'client' as const,
    attributes: {
      'db.system.name': 'eventstoredb',
      'db.operation.name': 'append',
      'db.collection.name': category,
      'db.operation.batch.size': count,
    },
  };
};
