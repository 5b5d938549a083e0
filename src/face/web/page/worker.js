// The engine in its worker: a question in, an answer out, one after the other. The module of Emscripten is around it (make_page.py).
const waiting = [];
let ready = false;

// What the engine says of a question; what kills it is said, too, and who asked starts another.
function answerTo(question) {
  const began = performance.now();
  let answer;
  try {
    const size = lengthBytesUTF8(question) + 1;
    const text = _malloc(size);
    if (text === 0) throw new RangeError('memory');
    stringToUTF8(question, text, size);
    answer = JSON.parse(UTF8ToString(_ptxmc_ask(text)));
    _free(text);
  } catch (failure) {
    const deep = failure instanceof RangeError;
    answer = {error: deep ? 'this takes more stack or memory than a page has; the program takes it' : String(failure), dead: true};
  }
  answer.milliseconds = performance.now() - began;
  return answer;
}

self.onmessage = ({data}) => {
  if (ready) self.postMessage({id: data.id, answer: answerTo(data.question)});
  else waiting.push({data});
};
Module.onRuntimeInitialized = () => {
  ready = true;
  while (waiting.length > 0) self.onmessage(waiting.shift());
};
