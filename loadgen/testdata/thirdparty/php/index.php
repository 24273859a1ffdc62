<?php
// A process that answers more than once cannot tell so by itself: PHP begins anew
// with each request. Its number tells instances apart.
header('X-Instance: ' . getmypid());
echo "hello\n";
