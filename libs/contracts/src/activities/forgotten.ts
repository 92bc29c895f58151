import type { ActivityProps } from './activities.events';

/** What is left of props whose key is gone: each as it is when nobody says. */
export const forgottenProps: ActivityProps = {
  title: '',
  subtitle: null,
  status: null,
  detail: null,
  progress: null,
  layout: 'standard',
  state: 'running',
  icon: null,
  accentColor: null,
  steps: null,
  lines: null,
  startedAt: null,
  endsAt: null,
  imageUrl: null,
  url: null,
};
