import type { ComponentType } from 'preact';
import { useLoaded } from '../api/loaded';
import { Loading } from '../parts/state';

/** A part of the page whose script is loaded when it is first shown. */
export function later<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return function Later(props: Props) {
    const { data, error } = useLoaded('script', load);
    if (data) return <data.default {...props} />;
    if (error === undefined) return <Loading />;
    return (
      <div class="problem" role="alert">
        <p>This part of the page could not be loaded. There may be a newer version of the console.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  };
}
