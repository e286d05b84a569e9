// Figures as files.
const dataUrl = (type, text) => `data:${type};charset=utf-8,` + encodeURIComponent(text);
const save = (file, url) => make('a', {href: url, download: file}).click();

// Puts a picture on white paper and saves it: `draw(context)` fills it. Browsers refuse canvases that are longer than 16,384.
function savePng(file, width, height, draw) {
  const canvas = make('canvas', {width: Math.round(width), height: Math.round(height)});
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  draw(context, canvas);
  save(file, canvas.toDataURL('image/png'));
}

// Gives a figure its buttons. `ways`: the name of each, and what a click does.
const saveAs = (title, ways) => make(
    'p', {class: 'screen save'},
    ...Object.entries(ways).map(
        ([name, way]) => make('button', {type: 'button', title: `save "${title}" as ${name}`, onclick: way}, name)));
