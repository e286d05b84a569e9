// Light and dark: as the browser wishes until somebody chooses; light on paper.
const dark = matchMedia('(prefers-color-scheme: dark)');
let wish = 'auto';
const setTheme = theme => {
  document.documentElement.dataset.theme = theme;
  drawAll();
};
const follow = () => setTheme(wish === 'auto' ? (dark.matches ? 'dark' : 'light') : wish);

function toggle() {
  const button = make(
      'button', {
        type: 'button',
        class: 'screen',
        onclick: () => {
          wish = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
          follow();
        }
      },
      'light / dark');
  return button;
}

// Once the page stands.
function startTheme() {
  dark.addEventListener('change', follow);
  addEventListener('beforeprint', () => setTheme('light'));
  addEventListener('afterprint', follow);
  follow();
}
