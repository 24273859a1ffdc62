# Answers questions about a series by statsmodels' own ARIMA with its defaults, as
# the study did. The messages are those of wire.go; the socket is descriptor 3.
import ctypes
import socket
import struct
import time
import warnings

ctypes.CDLL(None).prctl(15, b"edge-fitter", 0, 0, 0)  # PR_SET_NAME, for monitors

import numpy
from statsmodels.tsa.arima.model import ARIMA

warnings.simplefilter("ignore")  # a fit that did not converge is an answer all the same

node = socket.socket(fileno=3)
while question := node.recv(65536):
    p, d, q, ahead = struct.unpack_from("=4i", question)
    series = numpy.array(numpy.frombuffer(question, offset=16))
    begun = time.monotonic_ns()
    try:
        forecast = ARIMA(series, order=(p, d, q)).fit().forecast(ahead)
        n, body = len(forecast), numpy.asarray(forecast, dtype="f8").tobytes()
    except Exception as error:
        n, body = 0, f"{type(error).__name__}: {error}"[:1000].encode()
    try:
        node.send(struct.pack("=QQ", time.monotonic_ns() - begun, n) + body, socket.MSG_NOSIGNAL)
    except OSError:
        break
