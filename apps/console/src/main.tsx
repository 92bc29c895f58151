import { render } from 'preact';
import { App } from './app';
import { loadFirst } from './inbox/items';
import './style.css';

const root = document.getElementById('app')!;
const draw = (): void => render(<App />, root);
if (location.pathname !== '/console/') draw();
else
  void loadFirst().then((end) => {
    draw();
    end();
  });
