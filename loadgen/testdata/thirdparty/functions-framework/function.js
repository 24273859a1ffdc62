'use strict';
// A function that says which of its answers was the first of its process, and does
// then what real ones do: set something up (here, derive a key).
const crypto = require('crypto');

let key = null;

exports.hello = (req, res) => {
  const cold = key === null;
  if (cold) {
    key = crypto.scryptSync('secret', 'salt', 32, {N: 65536, maxmem: 128 << 20});
  }
  res.set('X-Cold-Start', String(cold));
  res.set('X-Instance', String(process.pid));
  res.send('hello\n');
};
