"""What Python 2 had, and Python 3 has no more, by its names."""

from __future__ import annotations

#: Functions of Python 2 that Python 3 does not have.
GONE = frozenset("basestring execfile long raw_input reduce reload unichr unicode xrange".split())
#: Modules of Python 2 that Python 3 does not have, by names that no project takes for its own.
GONE_MODULES = frozenset(
    """BaseHTTPServer SimpleHTTPServer SocketServer StringIO Tkinter __builtin__ cPickle cStringIO
    cookielib copy_reg httplib urllib2 urlparse xmlrpclib""".split()
)
#: What Python 3 took away of modules that it has.
GONE_OF_MODULES = frozenset(
    """itertools.ifilter itertools.ifilterfalse itertools.imap itertools.izip itertools.izip_longest
    os.getcwdu sys.maxint urllib.quote urllib.unquote urllib.urlencode urllib.urlopen
    urllib.urlretrieve""".split()
)
#: Methods of dicts that Python 3 does not have.
GONE_OF_DICTS = frozenset(
    "has_key iteritems iterkeys itervalues viewitems viewkeys viewvalues".split()
)
#: The functions among these, without their modules.
OF_MODULES = frozenset(name.partition(".")[2] for name in GONE_OF_MODULES)
