"""Load generators and targets on one LAN of bare-metal nodes, for edgebench.

Instructions:
Wait until all nodes are ready. Save the experiment's manifest, and on your own machine:

    loadgen cluster inventory manifest.xml --user YOU
    loadgen cluster push inventory.yaml --accept-new

docs/cloudlab.md of the repository goes on from there.
"""

import geni.portal as portal
import geni.rspec.pg as pg

MOST_NODES = 200  # a /24 has room for these and for what a person adds by hand

# Runs at every boot, and does nothing when the profile was pasted into the portal
# instead of being made from the repository.
SETUP = "if [ -f {0} ]; then sudo sh {0}; fi".format("/local/repository/deploy/cloudlab/setup.sh")


def define(context):
    """The parameters of the page where the profile is instantiated."""
    context.defineParameter(
        "generators", "Load generators", portal.ParameterType.INTEGER, 2,
        longDescription="Nodes gen-0, gen-1, …: each sends a share of the requests.")
    context.defineParameter(
        "targets", "Targets", portal.ParameterType.INTEGER, 1,
        longDescription="Nodes target-0, target-1, …: each runs the worker node.")
    context.defineParameter(
        "hardware", "Hardware type", portal.ParameterType.NODETYPE, "",
        longDescription="The same for all nodes, such as xl170 or c6525-25g; empty lets the site choose, "
                        "and then results of two experiments need not be comparable.")
    context.defineParameter(
        "image", "Disk image", portal.ParameterType.IMAGE,
        "urn:publicid:IDN+emulab.net+image+emulab-ops:UBUNTU24-64-STD",
        longDescription="Any Linux; Debian and Ubuntu for setup.sh.")
    context.defineParameter(
        "bandwidth", "LAN bandwidth in Mbit/s", portal.ParameterType.INTEGER, 0,
        longDescription="0 takes what the interfaces have, unshaped.")
    return context.bindParameters()


def check(context, params):
    """Report every fault at once, beside its field."""
    if params.generators < 1:
        context.reportError(portal.ParameterError("Want at least one load generator.", ["generators"]))
    if params.targets < 0:
        context.reportError(portal.ParameterError("Want 0 or more targets.", ["targets"]))
    if params.generators + params.targets > MOST_NODES:
        context.reportError(portal.ParameterError(
            "Want at most %d nodes together." % MOST_NODES, ["generators", "targets"]))
    if params.bandwidth < 0:
        context.reportError(portal.ParameterError("Want 0 or more Mbit/s.", ["bandwidth"]))
    context.verifyParameters()


def build(request, params):
    """Nodes on one LAN, their names telling their roles to `loadgen cluster inventory`."""
    lan = request.LAN("lan")
    if params.bandwidth > 0:
        lan.bandwidth = params.bandwidth * 1000  # kbit/s
    names = ["gen-%d" % i for i in range(params.generators)] + ["target-%d" % i for i in range(params.targets)]
    for i, name in enumerate(names):
        node = request.RawPC(name)
        node.disk_image = params.image
        if params.hardware:
            node.hardware_type = params.hardware
        interface = node.addInterface("lan")
        interface.addAddress(pg.IPv4Address("10.10.1.%d" % (i + 1), "255.255.255.0"))
        lan.addInterface(interface)
        node.addService(pg.Execute(shell="sh", command=SETUP))


def main():
    context = portal.Context()
    params = define(context)
    check(context, params)
    request = context.makeRequestRSpec()
    build(request, params)
    context.printRequestRSpec(request)


main()
