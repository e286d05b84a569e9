// These figures the program drew: the files of `report --format svg`, in the colours of the theme.
const svgOf = text => document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true);

function saveSvgAsPng(file, svg) {
  const image = make('img');
  image.onload = () => {
    const scale = Math.min(400 / 96, 16000 / image.height);  // 400 dots per inch
    savePng(
        file, scale * image.width, scale * image.height, (context, canvas) => context.drawImage(image, 0, 0, canvas.width, canvas.height));
  };
  image.src = dataUrl('image/svg+xml', svg);
}

function plotElement() {
  const title = make('h3'), box = make('div', {class: 'plot'}), caption = make('figcaption'), buttons = make('div');
  const show = ({title: name, chosen, svg, wide, csv, file, caption: words}) => {
    title.textContent = chosen ? `${name}: ${chosen}` : name;
    const pictures = [svgOf(svg), svgOf(wide)];  // the style sheet shows the one that fits the width
    pictures.forEach((picture, i) => picture.setAttribute('class', i ? 'wide' : 'narrow'));
    box.replaceChildren(...pictures);
    caption.replaceChildren(...explained(words));
    buttons.replaceChildren(saveAs(name, {
      SVG: () => save(`${file}.svg`, dataUrl('image/svg+xml', svg)),
      PNG: () => saveSvgAsPng(`${file}.png`, svg),
      CSV: () => save(`${file}.csv`, dataUrl('text/csv', csv))
    }));
  };
  return {element: make('figure', {}, title, box, caption, buttons), show};
}

// Finds the figures of these names, side by side, with one choice where there are several of the first; null where there is none.
function plotFigures(report, ...names) {
  const of = name => report.figures.filter(plot => plot.name === name);
  const [first, ...others] = names.map(of).filter(plots => plots.length);
  if (!first) return null;
  const places = [first, ...others].map(plotElement);
  const show = plot => {
    places[0].show(plot);
    others.forEach((plots, i) => places[i + 1].show(plots.find(other => other.chosen === plot.chosen) ?? plots[0]));
  };
  show(first[0]);
  const elements = places.map(place => place.element);
  return make(
      'div', {}, choice(first[0].choice, first, plot => plot.chosen, 0, show),
      elements.length > 1 ? make('div', {class: 'pair'}, ...elements) : elements[0]);
}
